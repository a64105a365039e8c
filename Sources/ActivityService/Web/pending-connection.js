// pending-connection.js
