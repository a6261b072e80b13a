type Links = ReadonlyMap<string, Buffer>

/** More than a path can have; a link that takes more steps counts as leading out. */
const MAX_STEPS = 4096
const MAX_LINK_HOPS = 40

export const keyOf = (path: readonly Buffer[]): string => path.map((part) => part.toString('latin1')).join('/')

/** No path of an archive or a tree is longer; a link that leads to such a path counts as leading out. */
const MAX_KEY_LENGTH = 64 * 1024
const LOOKUP_BYTES = 256 * 1024 * 1024

/** The work that following all links of a tree may take: names are looked up by whole paths, so these are counted. */
export class LinkBudget {
  #left = LOOKUP_BYTES

  /** False once it is used up. */
  take(key: string): boolean {
    this.#left -= 64 + key.length
    return this.#left >= 0 && key.length <= MAX_KEY_LENGTH
  }
}
/** Whether an archive's link leads out of it, even by way of other links. */
export function leadsOut(path: readonly Buffer[], target: Buffer, links: Links, budget: LinkBudget): boolean {
  const keys = ['']
  const keyAt = (part: string) => (keys.length === 1 ? part : `${keys.at(-1)}/${part}`)
  for (const part of path.slice(0, -1)) keys.push(keyAt(part.toString('latin1')))
  const todo = [target.toString('latin1')]
  for (let steps = 0, hops = 0; todo.length > 0; steps++) {
    const [part, rest] = first(todo.pop()!)
    if (steps > MAX_STEPS || part === undefined) return true
    if (rest !== '') todo.push(rest)
    if (part === '..' && keys.length === 1) return true
    if (part === '..') keys.pop()
    if (part === '' || part === '.' || part === '..') continue
    const key = keyAt(part)
    if (!budget.take(key)) return true
    const next = links.get(key)
    if (next === undefined) keys.push(key)
    else if (++hops > MAX_LINK_HOPS) return false
    else todo.push(next.toString('latin1'))
  }
  return false
}

/** A path's first segment and the rest; no first segment if it is absolute. */
function first(path: string): [string | undefined, string] {
  if (path.startsWith('/')) return [undefined, '']
  const at = path.indexOf('/')
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at + 1).replace(/^\/+/, '')]
}

/** Of the parts that an absolute link shares with the archive: one name alone may be a coincidence. */
const MIN_SHARED_PARTS = 2

/**
 * What an absolute link means that was made where the archive's content was before: `/home/old/site/uploads` is
 * `site/uploads` of the archive, if that exists in it. The longest such end of the target counts.
 */
export async function insideTarget(
  path: readonly Buffer[],
  target: Buffer,
  exists: (path: readonly Buffer[]) => Promise<boolean>,
): Promise<Buffer | undefined> {
  const parts = target
    .toString('latin1')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => Buffer.from(part, 'latin1'))
  if (target[0] !== 0x2f || parts.length > MAX_TARGET_PARTS || parts.some((part) => part.equals(above)))
    return undefined
  for (let from = 0; from <= parts.length - MIN_SHARED_PARTS; from++)
    if (await exists(parts.slice(from))) return relative(path, parts.slice(from))
  return undefined
}

const MAX_TARGET_PARTS = 64
const above = Buffer.from('..')

/** A path of the archive, as a link at another path names it. */
function relative(path: readonly Buffer[], to: readonly Buffer[]): Buffer {
  let same = 0
  while (same < Math.min(path.length, to.length) - 1 && path[same]!.equals(to[same]!)) same++
  const up = path.slice(same + 1).map(() => above)
  return Buffer.from(keyOf([...up, ...to.slice(same)]), 'latin1')
}
