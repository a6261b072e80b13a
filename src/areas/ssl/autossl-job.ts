import type { Lookups } from '../../outgoing/lookups.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { mailLabels } from '../domains/mail-names.ts'
import { namesOf } from '../domains/names.ts'
import type { DomainRow } from '../domains/tables.ts'
import { autosslOf } from './autossl.ts'
import { covers } from './certificate.ts'
import { batchAfter } from './domain-batch.ts'
import { domainsDue, domainsLackingMail, domainsOrdered } from './due.ts'
import { issueJob, type Wish } from './issue.ts'
import { localMailNames } from './mail-names.ts'
import { namesToSecure } from './names.ts'
import { directoryOf } from './settings.ts'
import { usedBy } from './store.ts'

/** Orders can take minutes, and one that a user requests waits behind these. */
const maxWaiting = 20

/** AutoSSL: replaces self-signed certificates by issued ones, and renews those. */
export function beginAutossl(runtime: Runtime, lookups: Lookups): Engine {
  const stop = every(runtime, minute, 'certificates could not be ordered', async () => {
    const { db, change } = runtime.store
    if (directoryOf(db) === undefined) return
    const ordered = domainsOrdered(db)
    const due = await domainsDue(runtime, ordered, maxWaiting - ordered.length)
    if (due.length > 0) await change(() => due.forEach((domain) => void start(runtime, domain)))
  })
  const stopNames = addMailNames(runtime, lookups)
  return { stop: async () => void (await Promise.all([stop(), stopNames()])) }
}

/** A broken resolver takes its time. */
const LOOKUPS_AT_ONCE = 10

/** Orders certificates anew that lack names for mail, a stretch of domains after the other. */
function addMailNames(runtime: Runtime, lookups: Lookups): () => Promise<void> {
  let after = ''
  return every(runtime, 10 * minute, 'names for mail could not be looked up', async (signal) => {
    const { db, change } = runtime.store
    const batch = directoryOf(db) === undefined ? undefined : batchAfter(db, after)
    after = !batch || batch.ends ? '' : batch.last
    if (!batch) return
    const ordered = domainsOrdered(db)
    const lacking = domainsLackingMail(runtime, batch, ordered)
    const led = await lackingLocalNames(runtime, lookups, lacking, maxWaiting - ordered.length, signal)
    if (led.length > 0) await change(() => led.forEach((domain) => void start(runtime, domain)))
  })
}

/** Those with a name for mail that leads here and that their certificate lacks. */
async function lackingLocalNames(
  runtime: Runtime,
  lookups: Lookups,
  domains: readonly DomainRow[],
  max: number,
  signal: AbortSignal,
): Promise<DomainRow[]> {
  const found: DomainRow[] = []
  for (let n = 0; n < domains.length && found.length < max && !signal.aborted; n += LOOKUPS_AT_ONCE) {
    const some = domains.slice(n, n + LOOKUPS_AT_ONCE)
    const names = await Promise.all(some.map((domain) => localMailNames(runtime, lookups, domain)))
    found.push(...some.filter((domain, at) => names[at]!.some((name) => !isCovered(runtime, domain, name))))
  }
  return found.slice(0, Math.max(max, 0))
}

const isCovered = ({ store }: Runtime, domain: DomainRow, name: string): boolean =>
  covers(usedBy(store.db, domain)?.domains ?? [], name)

function start(runtime: Runtime, domain: DomainRow): void {
  const { db } = runtime.store
  const account = accountById(db, domain.account_id)
  if (account) enqueue(runtime, issueJob(nameOf(account), domain, wishOf(db, domain)), systemActor(db), runtime.id())
}

function wishOf(db: Db, domain: DomainRow): Wish {
  const { challenge } = autosslOf(db, domain)
  const names = chosenNames(db, domain)
  const needsZone = names?.some((name) => name.startsWith('*.'))
  const key_type = usedBy(db, domain)?.key_type === 'rsa-2048' ? 'rsa-2048' : 'ec-p256'
  return { names, challenge: needsZone ? 'dns-01' : challenge, key_type }
}

/** Served, or for mail. */
const isOrdinary = (domain: DomainRow, name: string): boolean =>
  [...namesOf(domain), ...mailLabels.map((label) => `${label}.${domain.name}`)].includes(name)

/** A certificate's manually chosen names are kept while the account has them. */
function chosenNames(db: Db, domain: DomainRow): readonly string[] | undefined {
  const used = usedBy(db, domain)
  if (used?.kind !== 'acme' || used.domains.every((name) => isOrdinary(domain, name))) return undefined
  try {
    return namesToSecure({ db }, domain, used.domains)
  } catch {
    return undefined
  }
}
