import type { Exchange, Lookups } from '../../../outgoing/lookups.ts'
import type { Clock } from '../../../runtime/clock/clock.ts'
import type { FoundName, PublicRouting } from './tables.ts'

/** The whole look, however many questions it takes. */
const LOOK_TIMEOUT_MS = 5000
/** An answer with more is not evidence. */
const MAX_ANSWERS = 100
/** Hosts whose addresses are looked up. */
const MAX_HOSTS = 10
const MAX_FOUND = 20

export type Evidence = 'ns' | 'mx' | 'address' | 'txt'

/** A name, and what would show whose it is. */
export interface Subject {
  readonly name: string
  readonly challenge: string
  readonly challengeNames: readonly string[]
  readonly challengeOnly: boolean
  /** The account's zone on this server could publish the challenge itself: other name servers must. */
  readonly isElsewhere: boolean
  /** The owner's and the server's name servers. */
  readonly nameservers: ReadonlySet<string>
  /** Of this server's name servers, secondaries included. */
  readonly nameserverAddresses: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
}

export interface LookOutcome {
  readonly by?: Evidence
  readonly reason: string
  readonly found: FoundName
  /** Whether name servers answered every question: only then is something missing. */
  readonly isConclusive: boolean
  readonly isDelegated?: boolean
  readonly publicRouting?: PublicRouting
}

type DnsAnswer<T> = readonly T[] | undefined

/** Answers until the deadline; undefined without one. */
class Questions {
  readonly #deadline: Promise<undefined>
  readonly end: () => void

  constructor(clock: Clock, signal: AbortSignal) {
    let expire = (): void => {}
    this.#deadline = new Promise((resolve) => {
      expire = () => resolve(undefined)
    })
    const cancel = clock.after(LOOK_TIMEOUT_MS, expire)
    signal.addEventListener('abort', expire)
    this.end = () => {
      cancel()
      signal.removeEventListener('abort', expire)
    }
  }

  ask<T>(answer: Promise<readonly T[]>): Promise<DnsAnswer<T>> {
    const bounded = answer.then((all) => (all.length > MAX_ANSWERS ? [] : all)).catch(() => undefined)
    return Promise.race([bounded, this.#deadline])
  }
}

const hostName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

interface Answers {
  readonly ns: DnsAnswer<string>
  readonly mx: DnsAnswer<Exchange>
  readonly addresses: DnsAnswer<string>
  readonly isChallenged: boolean
  /** Of the name and its parents that may have the challenge; only if other name servers must publish it. */
  readonly delegations: readonly DnsAnswer<string>[]
  /** Addresses by host. */
  readonly hosts: ReadonlyMap<string, DnsAnswer<string>>
}

/** Asks the machine's resolver what shows whose a name is. Never throws, and takes at most 5 seconds. */
export async function lookAt(
  lookups: Lookups,
  clock: Clock,
  subject: Subject,
  signal: AbortSignal,
): Promise<LookOutcome> {
  const questions = new Questions(clock, signal)
  try {
    return conclude(subject, await answersAbout(lookups, questions, subject))
  } finally {
    questions.end()
  }
}

async function answersAbout(lookups: Lookups, questions: Questions, subject: Subject): Promise<Answers> {
  const { name, challenge, challengeNames, nameservers } = subject
  const texts = Promise.all(challengeNames.map((one) => questions.ask(lookups.txt(one))))
  const [ns, mx, addresses, challenges, delegations] = await Promise.all([
    questions.ask(lookups.ns(name)),
    questions.ask(lookups.mx(name)),
    questions.ask(lookups.addresses(name)),
    texts,
    delegationsOf(lookups, questions, subject),
  ])
  const servers = [
    ...(ns ?? []).map(hostName).filter((one) => nameservers.has(one)),
    ...delegations.flatMap((all) => all ?? []),
  ]
  const exchanges = sorted(mx ?? []).map(({ host }) => host)
  const hostNames = [...new Set([...servers.slice(0, MAX_HOSTS), ...exchanges.slice(0, MAX_HOSTS)])].filter(Boolean)
  const known = await Promise.all(hostNames.map((host) => questions.ask(lookups.addresses(host))))
  return {
    ns: ns?.map(hostName),
    mx: mx && sorted(mx),
    addresses,
    isChallenged: challenges.some((all) => all?.some((text) => text.trim() === challenge)),
    delegations,
    hosts: new Map(hostNames.map((host, index) => [host, known[index]])),
  }
}

async function delegationsOf(lookups: Lookups, questions: Questions, subject: Subject): Promise<DnsAnswer<string>[]> {
  const names = subject.isElsewhere ? subject.challengeNames.map((one) => one.slice(one.indexOf('.') + 1)) : []
  const all = await Promise.all(names.map((one) => questions.ask(lookups.ns(one))))
  return all.map((hosts) => hosts?.map(hostName))
}

const sorted = (all: readonly Exchange[]): Exchange[] =>
  all
    .map(({ priority, host }) => ({ priority, host: hostName(host) }))
    .toSorted((a, b) => a.priority - b.priority || (a.host < b.host ? -1 : 1))

function conclude(subject: Subject, answers: Answers): LookOutcome {
  const { ns, mx, addresses } = answers
  const isDelegated = ns?.some((host) => leadsTo(answers, host, subject.nameserverAddresses, subject.nameservers))
  const publicRouting = routingIn(subject, answers)
  const by = evidenceIn(subject, answers, isDelegated ?? false)
  return {
    ...(by ? { by } : {}),
    reason: reasonFor(subject, answers),
    found: {
      ns: (ns ?? []).slice(0, MAX_FOUND),
      mx: (mx ?? []).slice(0, MAX_FOUND).map(({ priority, host }) => `${priority} ${host}`),
      addresses: (addresses ?? []).slice(0, MAX_FOUND),
    },
    isConclusive: ns !== undefined && mx !== undefined && addresses !== undefined,
    ...(isDelegated === undefined ? {} : { isDelegated }),
    ...(publicRouting ? { publicRouting } : {}),
  }
}

const leadsTo = (
  { hosts }: Answers,
  host: string,
  addresses: ReadonlySet<string>,
  names?: ReadonlySet<string>,
): boolean => (names?.has(host) ?? true) && (hosts.get(host)?.some((address) => addresses.has(address)) ?? false)

function evidenceIn(subject: Subject, answers: Answers, isDelegated: boolean): Evidence | undefined {
  const { mx, addresses, isChallenged } = answers
  if (subject.challengeOnly) return isChallenged && isPublishedElsewhere(subject, answers) ? 'txt' : undefined
  if (isDelegated) return 'ns'
  const lowest = mx?.filter(({ priority }) => priority === mx[0]!.priority) ?? []
  if (lowest.some(({ host }) => leadsTo(answers, host, subject.addresses))) return 'mx'
  const isAllLocal = addresses?.length && addresses.every((address) => subject.addresses.has(address))
  if (isAllLocal) return 'address'
  return isChallenged ? 'txt' : undefined
}

/** Whether the name servers are known, and none is this server's by name or by address. */
function isPublishedElsewhere(subject: Subject, { delegations, hosts }: Answers): boolean {
  if (!subject.isElsewhere) return true
  const all = new Set(delegations.flatMap((one) => one ?? []))
  if (all.size === 0 || delegations.includes(undefined)) return false
  return [...all].every((host) => {
    const addresses = hosts.get(host)
    if (!addresses?.length || subject.nameservers.has(host)) return false
    return !addresses.some((address) => subject.nameserverAddresses.has(address))
  })
}

/** Without mail servers, mail goes to the name's own addresses. */
function routingIn({ addresses: own }: Subject, { mx, addresses, hosts }: Answers): PublicRouting | undefined {
  if (mx === undefined) return undefined
  if (mx.length === 0) return addresses && (addresses.some((address) => own.has(address)) ? 'local' : 'remote')
  const looked = mx.slice(0, MAX_HOSTS)
  if (looked.some(({ host }) => host !== '' && hosts.get(host) === undefined)) return undefined
  const local = looked.filter(({ host }) => hosts.get(host)?.some((address) => own.has(address)))
  if (local.some(({ priority }) => priority === mx[0]!.priority)) return 'local'
  return local.length > 0 ? 'backup' : 'remote'
}

function reasonFor({ name, challengeOnly, isElsewhere }: Subject, { ns, mx, addresses }: Answers): string {
  if (ns === undefined && mx === undefined && addresses === undefined)
    return `No name server answered about ${name}, and its TXT record was not found.`
  if (isElsewhere)
    return `Another account had ${name} before: only its TXT record on other name servers or the administrator verifies it.`
  if (challengeOnly) return `Only the TXT record verifies ${name}, and it was not found.`
  if ([ns, mx, addresses].every((all) => !all?.length))
    return `${name} has no public name servers, mail servers or addresses, and its TXT record was not found.`
  return `The name servers, the mail server and the addresses of ${name} lead elsewhere, and its TXT record was not found.`
}
