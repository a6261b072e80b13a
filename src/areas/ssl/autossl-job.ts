import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { namesOf } from '../domains/names.ts'
import type { DomainRow } from '../domains/tables.ts'
import { autosslOf } from './autossl.ts'
import { domainsDue, domainsOrdered } from './due.ts'
import { issueJob, type Wish } from './issue.ts'
import { namesToSecure } from './names.ts'
import { directoryOf } from './settings.ts'
import { usedBy } from './store.ts'

/** Orders can take minutes, and one that a user requests waits behind these. */
const maxWaiting = 20

/** AutoSSL: replaces self-signed certificates by issued ones, and renews those. */
export function beginAutossl(runtime: Runtime): Engine {
  const stop = every(runtime, minute, 'certificates could not be ordered', async () => {
    const { db, change } = runtime.store
    if (directoryOf(db) === undefined) return
    const ordered = domainsOrdered(db)
    const due = await domainsDue(runtime, ordered, maxWaiting - ordered.length)
    if (due.length > 0) await change(() => due.forEach((domain) => void start(runtime, domain)))
  })
  return { stop }
}

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

/** A certificate's manually chosen names are kept while the account has them. */
function chosenNames(db: Db, domain: DomainRow): readonly string[] | undefined {
  const used = usedBy(db, domain)
  if (used?.kind !== 'acme' || used.domains.every((name) => namesOf(domain).includes(name))) return undefined
  try {
    return namesToSecure({ db }, domain, used.domains)
  } catch {
    return undefined
  }
}
