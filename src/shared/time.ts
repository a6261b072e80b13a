export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** `2026-11-28 02:04 UTC` */
export const minuteText = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
