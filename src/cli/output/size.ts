/** Of 1024 each, as the API's MB are. */
const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1.5 MB`: a size for people. */
export function sizeText(bytes: number): string {
  let size = bytes
  let at = 0
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024
    at++
  }
  return `${at === 0 ? Math.round(size) : size.toFixed(1)} ${units[at]}`
}
