// pending-elements.js
