/** Whether a text is a day of the calendar, `2031-12-31`. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
