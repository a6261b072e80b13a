const lastWritable = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A time for `datetime-local`, in UTC; times before 1970 or after 9999 stay numbers. */
export function momentText(millis: number): string {
  if (!(millis >= 0 && millis <= lastWritable)) return String(millis)
  return new Date(millis)
    .toISOString()
    .replace(/\.000Z$|Z$/, '')
    .replace(/(T\d\d:\d\d):00$/, '$1')
}

/** The typed time in milliseconds; anything else unchanged, for the server to reject. */
export function momentIn(text: string): number | string {
  if (/^-?\d{5,}$/.test(text)) return Number(text)
  const millis = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(millis) ? text : millis
}
