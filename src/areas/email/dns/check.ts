import { neededKinds } from '../../../contract/email/dns.ts'
import type { Lookups } from '../../../outgoing/lookups.ts'
import { JobError, type JobKind } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { domainById } from '../../domains/store.ts'
import { emailDomainById, setEmailDomain } from '../domains/store.ts'
import type { FoundRecord } from '../tables.ts'
import type { DesiredRecord } from './desired.ts'
import { desiredRecords, toEmailDns } from './records.ts'

const textOf = ({ priority, host }: { readonly priority: number; readonly host: string }): string =>
  `${priority} ${host.toLowerCase().replace(/\.$/, '')}`

/** More of what strangers' name servers answer is cut. */
const MAX_ANSWERS = 20
const MAX_ANSWER_LENGTH = 1000

async function answersTo(lookups: Lookups, { kind, name, address }: DesiredRecord): Promise<readonly string[]> {
  if (kind === 'mx') return (await lookups.mx(name)).map(textOf)
  if (kind === 'ptr') return lookups.reverse(address!)
  return kind === 'helo' || kind === 'blocklist' ? lookups.addresses(name) : lookups.txt(name)
}

/** Looks up a name; `found` is undefined without a response. */
async function ask(lookups: Lookups, want: DesiredRecord): Promise<FoundRecord> {
  const { kind, name } = want
  try {
    const found = [...(await answersTo(lookups, want))].sort().slice(0, MAX_ANSWERS)
    return { kind, name, found: found.map((text) => text.slice(0, MAX_ANSWER_LENGTH)) }
  } catch {
    return { kind, name }
  }
}

const isNeeded = ({ kind }: { readonly kind: string }): boolean => neededKinds.some((one) => one === kind)

/** Records whether any needed record differs; no response says nothing about it. */
function noteDifference(ctx: Context, id: string): void {
  const [domain, row] = [domainById(ctx.db, id), emailDomainById(ctx.db, id)]
  if (!domain || !row) return
  const found = toEmailDns(ctx, { domain, row })
    .records.filter(isNeeded)
    .map(({ status }) => status)
  if (found.some((status) => status === 'missing' || status === 'different'))
    setEmailDomain(ctx, id, { differs_since: row.differs_since ?? ctx.now })
  else if (!found.includes('unknown')) setEmailDomain(ctx, id, { differs_since: null })
}

/** Looks up all records of a domain's mail concurrently. */
export const checkJob = (runtime: Runtime, lookups: Lookups): JobKind => ({
  kind: 'email.dns.check',
  cancellable: true,
  exists: ({ object_id }) => emailDomainById(runtime.store.db, object_id!) !== undefined,
  async run(job) {
    const { db } = runtime.store
    const id = job.row.object_id!
    const [domain, row] = [domainById(db, id), emailDomainById(db, id)]
    if (!domain || !row) throw new JobError('The domain no longer exists.', true)
    const desired = desiredRecords({ db, runtime }, { domain, row })
    const records = await Promise.all(desired.map((want) => ask(lookups, want)))
    for (const { kind, name, found } of records)
      job.log(`${kind} ${name}: ${found ? `${found.length} found` : 'no answer'}`, found ? 'info' : 'warn')
    return (ctx) => {
      setEmailDomain(ctx, id, { checked: { at: ctx.now, records } })
      noteDifference(ctx, id)
    }
  },
})
