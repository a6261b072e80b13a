/** Where mail goes inside an account: by forwarders and catch-alls, until it comes to a mailbox or leaves. */
export interface Routes {
  readonly forwarders: ReadonlyMap<string, Way>
  readonly mailboxes: ReadonlySet<string>
  /** By domain. */
  readonly catchAlls: ReadonlyMap<string, string>
}

export interface Way {
  readonly destinations: readonly string[]
  readonly keepCopy: boolean
}

export const mostFinals = 100

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** The address that mail for another is looked up by: without what follows `+`, in lower case. */
export function bare(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at).replace(/\+.*$/s, '')}${address.slice(at)}`.toLowerCase()
}

/** Where mail for an address goes next; undefined where it goes no further inside the account. */
function next({ forwarders, mailboxes, catchAlls }: Routes, address: string): readonly string[] | undefined {
  const way = forwarders.get(address)
  if (way) return way.destinations.map(bare)
  if (mailboxes.has(address)) return undefined
  const all = catchAlls.get(domainOf(address))
  return all === undefined ? undefined : [bare(all)]
}

/** The addresses on the way from one back to itself, if there is such a way through it. */
export function cycleThrough(routes: Routes, start: string): string[] | undefined {
  const seen = new Set<string>()
  const walk = (address: string, path: readonly string[]): string[] | undefined => {
    for (const one of next(routes, address) ?? []) {
      if (one === start) return [...path, one]
      if (seen.has(one)) continue
      seen.add(one)
      const found = walk(one, [...path, one])
      if (found) return found
    }
    return undefined
  }
  return walk(start, [start])
}

/** Every address that mail for one comes to in the end, one more than there may be at most. */
export function finalsOf(routes: Routes, start: string): ReadonlySet<string> {
  const finals = new Set<string>()
  const seen = new Set([start])
  const waiting = [start]
  for (let address = waiting.pop(); address !== undefined && finals.size <= mostFinals; address = waiting.pop()) {
    const further = next(routes, address)
    if (!further || (routes.forwarders.get(address)?.keepCopy && routes.mailboxes.has(address))) finals.add(address)
    for (const one of further ?? []) {
      if (!seen.has(one)) waiting.push(one)
      seen.add(one)
    }
  }
  return finals
}

/** A forwarder whose mail would come to more addresses than it may. */
export const tooWide = (routes: Routes): string | undefined =>
  [...routes.forwarders.keys()].find((address) => finalsOf(routes, address).size > mostFinals)
