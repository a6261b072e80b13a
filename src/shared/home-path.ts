const slash = 0x2f
const MAX_PATH_BYTES = 4096
const MAX_NAME_BYTES = 255
const deepest = 64

/** Splits a path below a home; `/` at its start or end, `//` and `.` mean nothing, as everywhere. */
export function splitPath(path: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let from = 0; from <= path.length; ) {
    const next = path.indexOf(slash, from)
    const part = path.subarray(from, next < 0 ? path.length : next)
    if (part.length > 0 && !part.equals(currentDirectory)) parts.push(part)
    from += part.length + 1
  }
  return parts
}

const currentDirectory = Buffer.from('.')

/** Why a path is invalid below a home, if it is. */
export function pathProblem(path: Buffer): string | undefined {
  if (path.length > MAX_PATH_BYTES) return `must have at most ${MAX_PATH_BYTES} bytes`
  const parts = splitPath(path)
  if (parts.length > deepest) return `must be at most ${deepest} directories deep`
  return parts.map(nameProblem).find((problem) => problem !== undefined)
}

export function nameProblem(name: Buffer): string | undefined {
  if (name.length === 0) return 'must not contain an empty part'
  if (name.includes(0)) return 'must not contain NUL'
  if (['.', '..'].includes(name.toString('latin1'))) return 'must not contain .. as a part'
  if (name.length > MAX_NAME_BYTES) return `must not contain a name of more than ${MAX_NAME_BYTES} bytes`
  return undefined
}
