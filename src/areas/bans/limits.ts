/** Lines that a ban shows of what led to it. */
export const MAX_SAMPLE = 5
/** Bans that one event names. */
export const MAX_ANNOUNCED = 100
