/** The socket for bytes, beside that of an agent that runs as a service. */
export const bulkSocket = 'bulk.sock'
