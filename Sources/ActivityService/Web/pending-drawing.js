// pending-drawing.js
