import type { HostArea } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day } from '../../shared/time.ts'
import type { FullAccount } from '../accounts/store.ts'
import { namesOf } from '../domains/names.ts'
import { domainById, servedDomains } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { type Issued, settle, use } from './activate.ts'
import { newKey } from './key.ts'
import { selfSigned } from './self-signed.ts'
import { usedBy } from './store.ts'

/** Self-signed certificates are renewed this long before they expire. */
export const renewal = 30 * day

/** Makes the missing certificates of an account's domains before its host is applied. */
export async function ensureCertificates(
  runtime: Runtime,
  { id }: FullAccount,
  areas?: readonly HostArea[],
): Promise<void> {
  if (areas && !areas.includes('tls')) return
  for (const domain of servedDomains(runtime.store.db, id)) if (lacks(runtime, domain)) await ensure(runtime, domain)
}

async function ensure(runtime: Runtime, domain: DomainRow): Promise<void> {
  const issued = await newSelfSigned(runtime, domain)
  await runtime.store.change(() => {
    const now = domainById(runtime.store.db, domain.id)
    if (now?.name !== domain.name || now.status === 'deleting' || !lacks(runtime, now)) return
    settle(runtime, use(runtime, now, issued))
  })
}

/** Whether it has none, or a self-signed one that is for other names or expires soon. */
function lacks({ store, clock }: Runtime, domain: DomainRow): boolean {
  const used = usedBy(store.db, domain)
  if (used?.kind !== 'self_signed') return !used
  return used.not_after - clock.now() <= renewal || used.domains.join() !== namesOf(domain).join()
}

/** For the served names, with a new key. */
export async function newSelfSigned({ clock }: Runtime, domain: DomainRow): Promise<Issued> {
  const key = await newKey('ec-p256')
  return { kind: 'self_signed', chain: [selfSigned(key, namesOf(domain), clock.now())], key }
}
