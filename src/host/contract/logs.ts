/** The server-wide logs to count traffic from. */
export const trafficLogs = ['web', 'ftp', 'mail'] as const
export type TrafficLog = (typeof trafficLogs)[number]

/** Per ranking, day and read. */
export const MAX_RANKED = 500
/** In characters, of a path or referrer; longer ones are cut. */
export const MAX_RANKED_LENGTH = 255
