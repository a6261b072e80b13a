import type { FilesFromAfar } from '../../../host/contract/client.ts'
import { FileError, type TaskAnswer, type WordpressTask } from '../../../host/contract/driver.ts'
import { JobError, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Host } from '../../accounts/jobs/apply.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById, type FullAccount } from '../../accounts/store.ts'
import { domainById } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { askSite, type SiteTask } from '../ask.ts'
import { encoded, unlessThere } from '../files.ts'
import { placeOf } from '../place.ts'
import { siteById } from '../store.ts'
import type { WordpressRow } from '../tables.ts'

/** What a job that changes a site's files works with. */
export interface Updating {
  readonly host: Host
  readonly signal: AbortSignal
  readonly account: FullAccount
  readonly domain: DomainRow
  readonly site: WordpressRow
  readonly files: FilesFromAfar
  log(message: string, level?: 'info' | 'warn' | 'error'): void
}

export function updatingOf(host: Host, { row, signal, log }: Pick<RunningJob, 'row' | 'signal' | 'log'>): Updating {
  const { db } = host.runtime.store
  const site = siteById(db, row.object_id!)
  const account = accountById(db, row.account_id!)
  const domain = site && domainById(db, site.domain_id)
  if (!site || !account || !domain?.document_root) throw new JobError('The site no longer exists.', true)
  return { host, signal, log, account, domain, site, files: host.client.files(hostNameOf(account)) }
}

export const coreOf = ({ domain, site }: Updating): string => placeOf(domain.document_root!, site.core_path)

export function ask<Task extends WordpressTask>(
  { host: { runtime, client }, site, signal }: Updating,
  request: Omit<SiteTask<Task>, 'signal'>,
): Promise<TaskAnswer<Task>> {
  return askSite(runtime, client, site, { ...request, signal } as SiteTask<Task>)
}

/** What is at a path; undefined if nothing is. */
export async function typeAt({ files, signal }: Updating, path: string) {
  try {
    return (await files.act('stat', { path: encoded(path) }, { signal })).type
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return undefined
    throw error
  }
}

export const move = ({ files, signal }: Updating, from: string, to: string) =>
  files.act('move', { from: encoded(from), to: encoded(to), overwrite: false }, { signal })

export const remove = ({ files, signal }: Updating, path: string) =>
  files.act('remove', { path: encoded(path) }, { signal })

export async function makeDirectory({ files, signal }: Updating, path: string): Promise<void> {
  await files.act('makeDirectory', { path: encoded(path), parents: true }, { signal }).catch(unlessThere)
}
