type Links = ReadonlyMap<string, Buffer>

/** More than a path can have; a link that takes more steps counts as leading out. */
const mostSteps = 4096
const mostHops = 40

export const keyOf = (path: readonly Buffer[]): string => path.map((part) => part.toString('latin1')).join('/')

/** Whether an archive's link leads out of it, even by way of other links. */
export function leadsOut(path: readonly Buffer[], target: Buffer, links: Links): boolean {
  const here = path.slice(0, -1).map((part) => part.toString('latin1'))
  const todo = [target.toString('latin1')]
  for (let steps = 0, hops = 0; todo.length > 0; steps++) {
    const [part, rest] = first(todo.pop()!)
    if (steps > mostSteps || part === undefined) return true
    if (rest !== '') todo.push(rest)
    if (part === '..' && here.pop() === undefined) return true
    if (part === '' || part === '.' || part === '..') continue
    const next = links.get([...here, part].join('/'))
    if (next === undefined) here.push(part)
    else if (++hops > mostHops) return false
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
