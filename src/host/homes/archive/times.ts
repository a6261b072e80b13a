/**
 * A time in seconds as Node.js takes it: it replaces negative numbers by now, and cuts nanoseconds, so that the nearest
 * number below a fraction would lose a microsecond.
 */
export const timeArgument = (seconds: number): number | Date =>
  seconds < 0 ? new Date(Math.round(seconds * 1000)) : Number.isInteger(seconds) ? seconds : seconds + 1.5e-7
