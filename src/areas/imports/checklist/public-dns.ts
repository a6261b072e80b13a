import type { Lookups } from '../../../outgoing/lookups.ts'
import type { Runtime } from '../../../runtime/runtime.ts'

/** What the public DNS says of a name; undefined without an answer. */
export interface PublicNames {
  readonly ns?: readonly string[] | undefined
  readonly mx?: readonly string[] | undefined
  readonly addresses?: readonly string[] | undefined
  readonly www?: readonly string[] | undefined
}

interface Known {
  readonly at: number
  readonly names: PublicNames
}

const FRESH_MS = 60_000
const MAX_KNOWN = 10_000
const AT_ONCE = 10

const lookups = new WeakMap<Runtime, Lookups>()
const known = new WeakMap<Runtime, Map<string, Known>>()

/** Makes a panel's resolver available to the operations. */
export function rememberLookups(runtime: Runtime, its: Lookups): void {
  lookups.set(runtime, its)
  known.set(runtime, new Map())
}

/** The answers of the last minute. */
export const publicNames = (runtime: Runtime, domain: string): PublicNames =>
  known.get(runtime)?.get(domain)?.names ?? {}

/** Asks for those that were not asked for within a minute; undefined if there are none. Never throws. */
export function lookUp(runtime: Runtime, domains: readonly string[]): Promise<void> | undefined {
  const now = runtime.clock.now()
  const answers = known.get(runtime)!
  const due = domains.filter((domain) => now - (answers.get(domain)?.at ?? Number.NEGATIVE_INFINITY) >= FRESH_MS)
  if (due.length === 0) return undefined
  if (answers.size > MAX_KNOWN) answers.clear()
  return askAll(lookups.get(runtime)!, due, (domain, names) => answers.set(domain, { at: now, names }))
}

async function askAll(from: Lookups, domains: readonly string[], keep: (domain: string, names: PublicNames) => void) {
  for (let at = 0; at < domains.length; at += AT_ONCE)
    await Promise.all(domains.slice(at, at + AT_ONCE).map(async (domain) => keep(domain, await ask(from, domain))))
}

async function ask(from: Lookups, domain: string): Promise<PublicNames> {
  const [ns, mx, addresses, www] = await Promise.all([
    orUnknown(from.ns(domain)),
    orUnknown(from.mx(domain).then((all) => all.map(({ priority, host }) => `${priority} ${host}`))),
    orUnknown(from.addresses(domain)),
    orUnknown(from.addresses(`www.${domain}`)),
  ])
  return { ns, mx, addresses, www }
}

const orUnknown = (answer: Promise<readonly string[]>): Promise<readonly string[] | undefined> =>
  answer.then(
    (all) => all.map((one) => one.toLowerCase().replace(/\.$/, '')).toSorted(),
    () => undefined,
  )
