/** YYYYMMDD00 in UTC, as zone serials are written. */
export const serialOfDay = (now: number): number =>
  Number(new Date(now).toISOString().slice(0, 10).replaceAll('-', '')) * 100

/** The serial after a change. */
export const nextSerial = (serial: number, now: number): number => Math.max(serial + 1, serialOfDay(now))
