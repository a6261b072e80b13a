import type { FilesFromAfar, HostClient } from '../../host/contract/client.ts'
import { FileError } from '../../host/contract/driver.ts'
import { JobError, type JobKind, type RunningJob } from '../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { domainById, servedDomains } from '../domains/store.ts'
import { baseOf, encoded } from './files.ts'
import { endDatabaseOf } from './install/store.ts'
import { placeOf } from './place.ts'
import { scanSoon } from './scan.ts'
import { removeSite, setSite, siteById, sitesOfDomain } from './store.ts'
import type { WordpressRow } from './tables.ts'

/** Files and directories of WordPress itself, in a directory that it shares. */
const ownNames =
  /^(?:wp-(?:admin|content|includes)|wp-[a-z-]+\.php|index\.php|xmlrpc\.php|license\.txt|readme\.html|\.htaccess)$/
/** Of a directory that it shares: beyond that nothing of WordPress's names is looked for. */
const PAGE_SIZE = 1_000

/** Moves a site's files to the trash. What is gone already is left out, so it may run again. */
export const deleteJob = (runtime: Runtime, host: HostClient): JobKind => ({
  kind: 'wordpress.delete',
  emits: ['mysql.database.deleted', 'mysql.user.deleted'],
  exists: ({ object_id }) => siteById(runtime.store.db, object_id!) !== undefined,
  async run(job) {
    const { db } = runtime.store
    const site = siteById(db, job.row.object_id!)
    const account = accountById(db, job.row.account_id!)
    if (!site || !account) throw new JobError('The site no longer exists.', true)
    const files = host.files(hostNameOf(account))
    await trashFiles(runtime, files, site, job)
    await files.act('remove', { path: encoded(baseOf(site)) }, { signal: job.signal })
    return (ctx) => {
      endDatabaseOf(ctx, site)
      removeSite(ctx, site.id)
    }
  },
  failed(ctx, { object_id }) {
    const site = siteById(ctx.db, object_id!)
    if (!site) return
    setSite(ctx, site.id, { status: site.problem ? 'unhealthy' : 'active' })
    scanSoon(ctx.db, site.domain_id)
  },
})

async function trashFiles(runtime: Runtime, files: FilesFromAfar, site: WordpressRow, job: RunningJob): Promise<void> {
  const { db } = runtime.store
  const root = domainById(db, site.domain_id)!.document_root!
  const core = placeOf(root, site.core_path)
  const paths = isShared(db, root, site)
    ? (await ownEntries(files, core, job.signal)).map((name) => `${core}/${name}`)
    : [core, ...(site.path === site.core_path ? [] : [`${placeOf(root, site.path)}/index.php`])]
  for (const path of paths) {
    job.signal.throwIfAborted()
    if (await trash(runtime, files, path, job.signal)) job.log(`${path} moved to the trash`)
  }
}

/** Whether the core's directory is a document root, or has another site or a document root in it. */
function isShared(db: Db, root: string, site: WordpressRow): boolean {
  const core = `${placeOf(root, site.core_path)}/`
  const others = sitesOfDomain(db, site.domain_id).filter(({ id }) => id !== site.id)
  const places = [
    ...servedDomains(db, site.account_id).flatMap(({ document_root }) => document_root ?? []),
    ...others.map(({ core_path }) => placeOf(root, core_path)),
  ]
  return places.some((place) => `${place}/`.startsWith(core))
}

async function ownEntries(files: FilesFromAfar, directory: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = []
  let after: string | undefined
  do {
    const input = { path: encoded(directory), limit: PAGE_SIZE, ...(after !== undefined && { after }) }
    const list = await unlessMissing(files.act('list', input, { signal }))
    names.push(...(list?.items ?? []).map(({ name }) => Buffer.from(name, 'base64').toString()))
    after = list?.next
  } while (after !== undefined)
  return names.filter((name) => ownNames.test(name))
}

/** Whether there was something at the path. */
async function trash(runtime: Runtime, files: FilesFromAfar, path: string, signal: AbortSignal): Promise<boolean> {
  const input = { path: encoded(path), id: runtime.id(), now: runtime.clock.now() }
  return (await unlessMissing(files.act('trash', input, { signal }))) !== undefined
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    if (error.reason === 'not-found') return undefined
    throw new JobError(error.message, error.reason !== 'overloaded')
  }
}
