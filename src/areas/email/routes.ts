/** Mail routes inside an account: through forwarders and catch-alls to a mailbox or out. */
export interface Routes {
  readonly forwarders: ReadonlyMap<string, ForwardRoute>
  readonly mailboxes: ReadonlySet<string>
  /** By domain. */
  readonly catchAlls: ReadonlyMap<string, string>
}

export interface ForwardRoute {
  readonly destinations: readonly string[]
  readonly keepCopy: boolean
}

export const MAX_DESTINATIONS = 100

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** The address used for the look-up: without `+…`, in lower case. */
export function bare(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at).replace(/\+.*$/s, '')}${address.slice(at)}`.toLowerCase()
}

/** The next addresses; undefined if mail goes no further inside the account. */
function next({ forwarders, mailboxes, catchAlls }: Routes, address: string): readonly string[] | undefined {
  const route = forwarders.get(address)
  if (route) return route.destinations.map(bare)
  if (mailboxes.has(address)) return undefined
  const all = catchAlls.get(domainOf(address))
  return all === undefined ? undefined : [bare(all)]
}

/** The addresses of a domain that the panel itself provides for. */
const roles = new Set(['postmaster', 'abuse', 'hostmaster'])

export const isRole = (address: string): boolean => roles.has(address.slice(0, address.lastIndexOf('@')))

/** Whether mail for an own address gets anywhere: to a mailbox, a forwarder, a catch-all or the account's contact. */
export const leadsOn = (routes: Routes, address: string): boolean =>
  routes.mailboxes.has(address) ||
  routes.forwarders.has(address) ||
  routes.catchAlls.has(domainOf(address)) ||
  isRole(address)

/** The server delivers to a mailbox with a copy once, and does not follow its forwarder again. */
const ends = ({ forwarders, mailboxes }: Routes, address: string): boolean =>
  forwarders.get(address)?.keepCopy === true && mailboxes.has(address)

/** The addresses on a loop through one, if there is one; mailboxes that all keep a copy make none. */
export function cycleThrough(routes: Routes, start: string): string[] | undefined {
  const seen = new Set<string>()
  const walk = (address: string, path: readonly string[], isLoop: boolean): string[] | undefined => {
    for (const one of next(routes, address) ?? []) {
      if (one === start && isLoop) return [...path, one]
      const key = `${isLoop} ${one}`
      if (one === start || seen.has(key)) continue
      seen.add(key)
      const found = walk(one, [...path, one], isLoop || !ends(routes, one))
      if (found) return found
    }
    return undefined
  }
  return walk(start, [start], !ends(routes, start))
}

/** Every final address of mail for one, up to one more than allowed. */
export function finalsOf(routes: Routes, start: string): ReadonlySet<string> {
  const finals = new Set<string>()
  const seen = new Set([start])
  const waiting = [start]
  for (let address = waiting.pop(); address !== undefined && finals.size <= MAX_DESTINATIONS; address = waiting.pop()) {
    const further = next(routes, address)
    if (!further || (routes.forwarders.get(address)?.keepCopy && routes.mailboxes.has(address))) finals.add(address)
    for (const one of further ?? []) {
      if (!seen.has(one)) waiting.push(one)
      seen.add(one)
    }
  }
  return finals
}

/** A forwarder with more final addresses than allowed. */
export const tooWide = (routes: Routes): string | undefined =>
  [...routes.forwarders.keys()].find((address) => finalsOf(routes, address).size > MAX_DESTINATIONS)
