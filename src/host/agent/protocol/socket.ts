/** Beside the socket of an agent that is a service: where it is connected to for bytes. */
export const bulkSocket = 'bulk.sock'
