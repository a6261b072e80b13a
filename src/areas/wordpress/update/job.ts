import { JobError, type JobKind, type RunningJob, type Settle } from '../../../runtime/jobs/job-kind.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import { counted } from '../../../shared/counted.ts'
import { day } from '../../../shared/time.ts'
import type { Host } from '../../accounts/jobs/apply.ts'
import { measureAfter } from '../../files/quota.ts'
import { asJobError, baseOf } from '../files.ts'
import { scanDomain } from '../scan.ts'
import { settle, siteById } from '../store.ts'
import { copyDatabase, restoreDatabase } from './database.ts'
import { failedPages, type Pages, visitAll, worseThan } from './pages.ts'
import { freshOf, putBack, putInPlace } from './places.ts'
import { planUpdate, type UpdateRequest } from './plan.ts'
import { stageItem } from './stage.ts'
import { addUpdate, removeUpdate, setState, updateOf } from './store.ts'
import type { UpdateItem, UpdateRow } from './tables.ts'
import { ask, makeDirectory, remove, type Updating, updatingOf } from './updating.ts'

/** How long an update can be undone. */
const UNDO_DAYS = 7
const TABLES_TIMEOUT_S = 300
const MAINTENANCE_TIMEOUT_S = 30

/** Another attempt puts back what the former one left unchecked, and goes on with the rest. */
export const updateJob = (host: Host): JobKind => ({
  kind: 'wordpress.update',
  steps: ['prepare', 'fetch', 'backup', 'switch', 'finish'],
  exists: ({ object_id }) => siteById(host.runtime.store.db, object_id!) !== undefined,
  async run(job) {
    try {
      return await run(updatingOf(host, job), job)
    } catch (error) {
      throw asJobError(error)
    }
  },
  async undo(row, signal) {
    if (!siteById(host.runtime.store.db, row.object_id!)) return
    const updating = updatingOf(host, { row, signal, log: () => {} })
    await putBackUnchecked(updating)
    await remove(updating, `${baseOf(updating.site)}/new`)
  },
  failed: (ctx, { object_id }) => settle(ctx, object_id!),
})

async function run(updating: Updating, job: RunningJob): Promise<Settle> {
  const { host, site } = updating
  const request = requestOf(job.row)
  job.step('prepare')
  await putBackUnchecked(updating)
  const row = resumed(updating, job) ?? (await begun(updating, job, request))
  const broken: Broken[] = []
  if (row) {
    const before = request.safe ? await firstVisit(updating, request) : new Map()
    job.step('switch')
    for (const item of row.items.filter(({ state }) => state === 'planned')) {
      const problem = await updateItem(updating, { row, item, request, before })
      if (problem !== undefined) broken.push({ item, problem })
    }
    await conclude(updating)
  }
  job.step('finish')
  await scanDomain(host.runtime, host.client, updating.domain, updating.signal)
  await measureAfter(host.runtime, site.account_id, updating.signal)
  const updated = (updateOf(host.runtime.store.db, site.id)?.items ?? []).filter(({ state }) => state === 'updated')
  job.log(`${counted(updated.length, 'update')} made${broken.length > 0 ? `, ${broken.length} rolled back` : ''}`)
  if (broken.length > 0) throw new JobError(rolledBack(broken), true)
  return (ctx) => settle(ctx, site.id)
}

interface Broken {
  readonly item: UpdateItem
  readonly problem: string
}

const nouns = { plugins: 'plugin', themes: 'theme' } as const
const titleOf = ({ kind, slug }: UpdateItem): string => (kind === 'core' ? 'WordPress' : `${nouns[kind]} ${slug}`)

const rolledBack = (broken: readonly Broken[]): string =>
  `Rolled back: ${broken.map(({ item, problem }) => `${titleOf(item)} ${item.to} (${problem})`).join('; ')}`

/** What the job was asked, as its operation wrote it. */
function requestOf({ payload }: JobRow): UpdateRequest {
  const namesIn = (text: string | undefined) =>
    text === undefined ? undefined : text === 'all' ? ('all' as const) : text.split(',').slice(1)
  return {
    core: payload['core'],
    plugins: namesIn(payload['plugins']),
    themes: namesIn(payload['themes']),
    safe: payload['safe'] === 'true',
    pages: JSON.parse(payload['pages'] ?? '[]'),
  }
}

/** The update that an earlier attempt of the job began. */
function resumed({ host, site }: Updating, { row: { id } }: RunningJob): UpdateRow | undefined {
  const row = updateOf(host.runtime.store.db, site.id)
  return row?.job_id === id ? row : undefined
}

/** What was in place when an attempt, or an undo, ended, and had not been checked: its old files may be the only ones. */
async function putBackUnchecked(updating: Updating): Promise<void> {
  const row = updateOf(updating.host.runtime.store.db, updating.site.id)
  for (const item of row?.items.filter(({ state }) => state === 'changing') ?? []) {
    await putBack(updating, row!, item)
    await setState(updating.host.runtime, updating.site.id, item, { state: 'planned' })
  }
}

/** Makes everything ready beside the site; undefined if nothing is to be updated. */
async function begun(updating: Updating, job: RunningJob, request: UpdateRequest): Promise<UpdateRow | undefined> {
  const { host, site } = updating
  const planned = await planUpdate(updating, request)
  if (planned.length === 0) return undefined
  job.step('fetch')
  await remove(updating, `${baseOf(site)}/new`)
  const { plugins, themes } = await ask(updating, { task: 'places', input: {}, timeoutS: TABLES_TIMEOUT_S })
  const items: UpdateItem[] = []
  for (const item of planned) {
    items.push(await stageItem(updating, item))
    job.log(`${titleOf(item)} ${item.to} is ready`)
    job.progress(Math.floor((40 * items.length) / planned.length))
  }
  job.step('backup')
  await host.runtime.store.change(() => removeUpdate(host.runtime.store.db, site.id))
  await remove(updating, `${baseOf(site)}/old`)
  const copy = request.safe ? await copyDatabase(updating, 'before') : undefined
  if (request.safe && !copy) job.log('Its database is not one of the account, so it is not saved', 'warn')
  const row: UpdateRow = {
    ...{ site_id: site.id, job_id: job.row.id, plugins_path: plugins, themes_path: themes, items },
    ...{ database: copy?.database ?? null, checksums: copy?.checksums ?? null },
    expires_at: host.runtime.clock.now() + UNDO_DAYS * day,
  }
  await addUpdate(host.runtime, row)
  return row
}

async function firstVisit(updating: Updating, { pages }: UpdateRequest): Promise<Pages> {
  const before = await visitAll(updating, [...new Set(['/', ...pages])])
  for (const problem of failedPages(before)) updating.log(`before the update, ${problem}`, 'warn')
  return before
}

interface Changing {
  readonly row: UpdateRow
  readonly item: UpdateItem
  readonly request: UpdateRequest
  readonly before: Pages
}

/** Updates one thing; answers what it broke, once that is undone. */
async function updateItem(updating: Updating, { row, item, request, before }: Changing): Promise<string | undefined> {
  const { runtime } = updating.host
  const copy = request.safe && item.active ? await copyDatabase(updating, 'step') : undefined
  await setState(runtime, updating.site.id, item, { state: 'changing' })
  const problem = await changed(updating, { row, item, request, before })
  if (problem === undefined) {
    await setState(runtime, updating.site.id, item, { state: 'updated' })
    updating.log(`${titleOf(item)} updated from ${item.from} to ${item.to}`)
    return undefined
  }
  await putBack(updating, row, item)
  await setState(runtime, updating.site.id, item, { state: 'undone' })
  updating.log(`${titleOf(item)} ${item.to} rolled back: ${problem}`, 'error')
  if (copy && !(await restoreDatabase(updating, copy, 'step')))
    updating.log('The database stays as it is: posts, users, comments or orders changed during the update', 'warn')
  return problem
}

/** What is wrong once the new files are in place. */
async function changed(updating: Updating, { row, item, request, before }: Changing): Promise<string | undefined> {
  if (item.kind === 'core') return replacedCore(updating, { row, item, request, before })
  await putInPlace(updating, row, item)
  return checked(updating, { item, request, before })
}

const checked = async (updating: Updating, { item, request, before }: Omit<Changing, 'row'>) =>
  request.safe && item.active ? worseThan(before, await visitAll(updating, [...before.keys()])) : undefined

/** Visitors get the page for maintenance while the files of WordPress change. */
async function replacedCore(updating: Updating, changing: Changing): Promise<string | undefined> {
  const close = (enabled: boolean) =>
    ask(updating, { task: 'maintenance', input: { enabled }, timeoutS: MAINTENANCE_TIMEOUT_S })
  await close(true)
  try {
    await putInPlace(updating, changing.row, changing.item)
    await ask(updating, { task: 'upgradeTables', input: {}, timeoutS: TABLES_TIMEOUT_S })
  } catch (error) {
    const problem = asJobError(error)
    if (!changing.request.safe || !(problem instanceof JobError)) throw error
    return problem.message
  } finally {
    await close(false)
  }
  return checked(updating, changing)
}

/** What was not needed is removed; what can be undone stays. */
async function conclude(updating: Updating): Promise<void> {
  const { site, host } = updating
  const { items } = updateOf(host.runtime.store.db, site.id)!
  await remove(updating, `${baseOf(site)}/new`)
  await remove(updating, `${baseOf(site)}/step.sql.gz`)
  if (items.some(({ state }) => state === 'updated')) return
  await remove(updating, baseOf(site))
  await host.runtime.store.change(() => removeUpdate(host.runtime.store.db, site.id))
}

/** Brings a site back before its last update. */
export const undoJob = (host: Host): JobKind => ({
  kind: 'wordpress.undo',
  exists: ({ object_id }) => siteById(host.runtime.store.db, object_id!) !== undefined,
  async run(job) {
    try {
      return await undo(updatingOf(host, job))
    } catch (error) {
      throw asJobError(error)
    }
  },
  failed: (ctx, { object_id }) => settle(ctx, object_id!),
})

async function undo(updating: Updating): Promise<Settle> {
  const { host, site, log } = updating
  const { runtime } = host
  const row = updateOf(runtime.store.db, site.id)
  if (!row) throw new JobError('There is no update to undo.', true)
  for (const item of row.items.filter(({ state }) => state === 'updated' || state === 'changing').reverse()) {
    await makeDirectory(updating, freshOf(updating, item))
    await setState(runtime, site.id, item, { state: 'changing' })
    await putBack(updating, row, item)
    await setState(runtime, site.id, item, { state: 'undone' })
    log(`${titleOf(item)} is ${item.from} again`)
  }
  await undoDatabase(updating, row)
  await remove(updating, baseOf(site))
  await scanDomain(runtime, host.client, updating.domain, updating.signal)
  await measureAfter(runtime, site.account_id, updating.signal)
  return (ctx) => {
    removeUpdate(ctx.db, site.id)
    settle(ctx, site.id)
  }
}

async function undoDatabase(updating: Updating, { database, checksums }: UpdateRow): Promise<void> {
  const isRestored =
    database !== null && checksums !== null && (await restoreDatabase(updating, { database, checksums }, 'before'))
  updating.log(
    isRestored ? 'The database is as it was before' : 'The database stays as it is',
    isRestored ? 'info' : 'warn',
  )
}
