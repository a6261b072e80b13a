import type { FilesFromAfar } from '../../../host/contract/client.ts'
import { FileError } from '../../../host/contract/driver.ts'
import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { minute } from '../../../shared/time.ts'
import { applyAccount, type Host } from '../../accounts/jobs/apply.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById, type FullAccount, nameOf } from '../../accounts/store.ts'
import { domainById, setDomain } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { putFile } from '../../files/put-file.ts'
import { measureAfter, roomForAll } from '../../files/quota.ts'
import { databaseById, userById } from '../../mysql/store.ts'
import { askSite } from '../ask.ts'
import { asJobError, baseOf, encoded, unlessThere } from '../files.ts'
import { placeOf } from '../place.ts'
import { scanDomain } from '../scan.ts'
import { removeSite, setSite, siteById } from '../store.ts'
import type { WordpressRow } from '../tables.ts'
import { configText } from './config.ts'
import { fetchArchive, sourceOf } from './source.ts'
import { endDatabaseOf, forgetSettings, type InstallSettings, installOf, settingsOf } from './store.ts'
import type { InstallRow } from './tables.ts'

const FETCH_TIMEOUT_MS = 10 * minute
const INSTALL_TIMEOUT_S = 300
const MAX_CONFIG_BYTES = 64 * 1024

interface Installing {
  readonly host: Host
  readonly job: RunningJob
  readonly account: FullAccount
  readonly domain: DomainRow
  readonly site: WordpressRow
  readonly install: InstallRow
  readonly settings: InstallSettings
  readonly files: FilesFromAfar
}

/** Makes a site aside, then moves it into place. Another attempt begins anew, unless the site is in its place. */
export const installJob = (host: Host): JobKind => ({
  kind: 'wordpress.install',
  emits: ['mysql.database.deleted', 'mysql.user.deleted'],
  exists: ({ object_id }) => siteById(host.runtime.store.db, object_id!) !== undefined,
  secrets({ object_id }) {
    const install = installOf(host.runtime.store.db, object_id!)
    const settings = install && settingsOf(host.runtime, install)
    return settings ? [settings.adminPassword, settings.databasePassword] : []
  },
  async run(job) {
    const installing = installingOf(host, job)
    try {
      return await run(installing)
    } catch (error) {
      throw asJobError(error)
    }
  },
  async undo({ object_id, account_id }, signal) {
    const account = accountById(host.runtime.store.db, account_id!)
    if (!account) return
    await host.client
      .files(hostNameOf(account))
      .act('remove', { path: encoded(baseOf({ id: object_id! })) }, { signal })
  },
  failed(ctx, { object_id }) {
    const site = siteById(ctx.db, object_id!)
    if (!site) return
    endDatabaseOf(ctx, site)
    removeSite(ctx, site.id)
  },
})

function installingOf(host: Host, job: RunningJob): Installing {
  const { runtime, client } = host
  const { db } = runtime.store
  const site = siteById(db, job.row.object_id!)
  const account = accountById(db, job.row.account_id!)
  const install = site && installOf(db, site.id)
  const domain = site && domainById(db, site.domain_id)
  const settings = install && settingsOf(runtime, install)
  if (!site || !account || !domain || !settings) throw new JobError('The site no longer exists.', true)
  return { host, job, account, domain, site, install, settings, files: client.files(hostNameOf(account)) }
}

async function run(installing: Installing): Promise<Settle> {
  const { host, job, domain, site, files } = installing
  const { signal } = job
  const stage = baseOf(site)
  if (!(await isInPlace(installing))) {
    await files.act('remove', { path: encoded(stage) }, { signal })
    await stageSite(installing, stage)
    await moveIntoPlace(installing, stage)
  }
  await files.act('remove', { path: encoded(stage) }, { signal })
  await scanDomain(host.runtime, host.client, domain, signal)
  await measureAfter(host.runtime, site.account_id, signal)
  return (ctx) => settle(ctx, installing)
}

const databaseNameOf = ({ host, install }: Installing): string => {
  const found = install.database_id ? databaseById(host.runtime.store.db, install.database_id) : undefined
  if (!found || found.status === 'deleting') throw new JobError('The database of the site was deleted.', true)
  return found.name
}

async function isInPlace(installing: Installing): Promise<boolean> {
  const { files, domain, site, job } = installing
  const name = databaseNameOf(installing)
  const { items } = await files.act('wordpress', { root: encoded(domain.document_root!) }, { signal: job.signal })
  return items.some(({ path, database }) => path === site.path && database === name)
}

async function stageSite(installing: Installing, stage: string): Promise<void> {
  const { host, job, account, install, site, settings, files } = installing
  const core = `${stage}/wordpress`
  const bytes = await fetched(installing)
  job.log(`WordPress ${install.version} has the checksum that its source gives`)
  await applyAccount(host, account, job, { areas: ['db'], beside: true })
  job.progress(30)
  await files.act('makeDirectory', { path: encoded(stage), parents: true }, { signal: job.signal })
  await unpack(installing, bytes, stage)
  job.progress(60)
  const user = userById(host.runtime.store.db, install.user_id ?? '')
  if (!user) throw new JobError('The database user of the site was deleted.', true)
  const login = { database: databaseNameOf(installing), user: user.name, password: settings.databasePassword }
  await write(installing, `${core}/wp-config.php`, Buffer.from(configText(login)), '0600')
  const { title, adminUser, adminEmail, adminPassword } = settings
  const input = {
    ...{ title, user: adminUser, email: adminEmail, password: adminPassword },
    ...(install.locale !== null && { locale: install.locale }),
    // Where no front controller answers, addresses name the script.
    permalinks: site.path === '/' ? '/%postname%/' : '/index.php/%postname%/',
  }
  const request = { task: 'install', input, timeoutS: INSTALL_TIMEOUT_S, signal: job.signal, core } as const
  await askSite(host.runtime, host.client, site, request)
  job.progress(90)
}

async function fetched({ host: { runtime }, install, job }: Installing): Promise<Buffer> {
  const late = new AbortController()
  const cancel = runtime.clock.after(FETCH_TIMEOUT_MS, () => late.abort())
  const archive = { version: install.version, locale: install.locale ?? undefined }
  return fetchArchive(sourceOf(runtime), archive, AbortSignal.any([job.signal, late.signal])).finally(cancel)
}

async function unpack(installing: Installing, bytes: Buffer, stage: string): Promise<void> {
  const { host, files, job, site } = installing
  const { signal } = job
  const archive = `${stage}/archive.tar.gz`
  await write(installing, archive, bytes, '0600')
  const room = await roomForAll(host.runtime, site.account_id, signal)
  const input = { id: job.row.id, path: encoded(archive), to: encoded(stage), overwrite: true, ...room }
  const { files: count, warnings = [] } = await files.act('extract', input, { signal })
  for (const warning of warnings) job.log(warning, 'warn')
  job.log(`${count ?? 0} files unpacked`)
  await files
    .act('stat', { path: encoded(`${stage}/wordpress/wp-includes/version.php`) }, { signal })
    .catch((error) => {
      if (error instanceof FileError && error.reason === 'not-found')
        throw new JobError('The archive has no WordPress in a directory named wordpress.', true)
      throw error
    })
}

async function write({ host, files, job, site }: Installing, path: string, bytes: Buffer, mode: string): Promise<void> {
  const { signal } = job
  const room = await roomForAll(host.runtime, site.account_id, signal)
  const maxBytes = Math.max(bytes.length, MAX_CONFIG_BYTES)
  await putFile(files, { path: encoded(path), mode, maxBytes, ...room }, bytes, signal)
}

/** At once, and only where nothing is. */
async function moveIntoPlace({ files, domain, site, job }: Installing, stage: string): Promise<void> {
  const { signal } = job
  const place = placeOf(domain.document_root!, site.path)
  const above = place.slice(0, place.lastIndexOf('/'))
  if (above !== '')
    await files.act('makeDirectory', { path: encoded(above), parents: true }, { signal }).catch(unlessThere)
  await files.act('move', { from: encoded(`${stage}/wordpress`), to: encoded(place), overwrite: true }, { signal })
  job.log(`The site is in ${place}`)
}

/** The domain answers by the site; its passwords are forgotten. */
function settle(ctx: Context, { site, domain, account }: Installing): void {
  if (!siteById(ctx.db, site.id)) return
  setSite(ctx, site.id, { status: 'active' })
  forgetSettings(ctx.db, site.id)
  const now = domainById(ctx.db, domain.id)
  const handler = handlerFor(site, now)
  if (!now || handler === now.handler) return
  setDomain(ctx, now.id, { handler, updated_at: ctx.now })
  ctx.enqueue({ kind: 'domain.update', account: nameOf(account), object_id: now.id })
}

function handlerFor({ path }: WordpressRow, domain: DomainRow | undefined): DomainRow['handler'] {
  if (domain?.handler === 'app') return 'app'
  if (path === '/') return 'php-front'
  return domain?.handler === 'static' || domain === undefined ? 'php' : domain.handler
}
