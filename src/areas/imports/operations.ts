import type * as declared from '../../contract/imports.ts'
import { importSteps } from '../../contract/imports.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { FileError } from '../../host/contract/driver.ts'
import { stopJob } from '../../runtime/jobs/queue.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import { inScope } from '../../runtime/operations/authorize.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { localNode } from '../../shared/node-name.ts'
import { offsetOf } from '../../store/page.ts'
import { raiseGeneration } from '../accounts/objects/revision.ts'
import { setAccount, suspend } from '../accounts/operations/change.ts'
import { beginEnd } from '../accounts/operations/index.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { withProblems } from '../files/problem.ts'
import { hostOf } from '../host/host.ts'
import { findJob } from '../jobs/store.ts'
import { checklistOf, domainsOf } from './checklist/checklist.ts'
import { lookUp } from './checklist/public-dns.ts'
import { pagesOf, unknownIn } from './compare/pages.ts'
import { MS_PER_LINE, refuseWhileSpent, spend } from './effort.ts'
import { requestFor } from './limits.ts'
import { countsOf } from './plan/report.ts'
import { replan } from './replan.ts'
import { beginRun, refuseBlocked } from './run/begin.ts'
import { admitNext } from './run/queue.ts'
import { enqueueStep, laneOf } from './run/step.ts'
import { addImport, countOpen, findImport, importById, pageOfImports, setImport, setStep, toImport } from './store.ts'
import type { ImportRow } from './tables.ts'
import { pathOf, sizeOf } from './uploads/files.ts'
import { findUpload, forgetUpload } from './uploads/operations.ts'

const MAX_OPEN_IMPORTS = 500

const listImports: Handler<typeof declared.listImports> = {
  handle(ctx, { query }) {
    const { items, total } = pageOfImports(ctx, query)
    return { items: items.map(toImport), total }
  },
}

const getImport: Handler<typeof declared.getImport> = { handle: ({ found }) => toImport(found.import) }

/** A file of the server's is root's to name: not a reseller's, nor a token's without the area server. */
function refusePath({ actor }: Context): void {
  if (!isRoot(actor))
    throw new Problem('forbidden', 'path: only root can name files of the server.', { path: 'only root can set it' })
  const { token } = actor
  if (!token || inScope(token, 'server', false)) return
  throw new Problem('token-scope', 'path: this needs a token for the area server.', { path: 'needs the area server' })
}

interface Archive extends Pick<ImportRow, 'path' | 'upload_id' | 'upload_sha256'> {
  readonly size_bytes: number
}

/** The file to read, once it is known to be an archive. */
async function archiveOf(
  ctx: Context,
  { path, upload_id }: Input<typeof declared.createImport>['body'],
): Promise<Archive> {
  const place = placeOf(ctx, path, upload_id)
  if (place.upload_id !== null) await refuseUnfinished(ctx, place.upload_id)
  const request = requestFor(ctx.runtime, place)
  const { sizeBytes } = await hostOf(ctx.runtime)
    .checkArchive(request)
    .catch((error: unknown) => {
      throw place.upload_id === null ? error : aboutUpload(error)
    })
  return { ...place, size_bytes: sizeBytes }
}

/** Its path is the panel's own affair. */
const aboutUpload = (error: unknown): unknown =>
  error instanceof FileError && error.field === 'path' ? new FileError(error.reason, error.message, 'upload_id') : error

function placeOf(ctx: Context, path: string | undefined, upload: string | undefined): Omit<Archive, 'size_bytes'> {
  if ((path === undefined) === (upload === undefined))
    throw invalid(
      'path',
      path === undefined ? 'is needed, or an uploaded archive' : 'cannot be combined with an uploaded archive',
    )
  if (path !== undefined) {
    refusePath(ctx)
    return { path, upload_id: null, upload_sha256: null }
  }
  const { id, sha256 } = uploadToImport(ctx, upload!)
  return { path: pathOf(ctx, id), upload_id: id, upload_sha256: sha256 }
}

function uploadToImport(ctx: Context, id: string) {
  try {
    return findUpload(ctx, id)
  } catch {
    throw invalid('upload_id', 'is not an upload of yours')
  }
}

async function refuseUnfinished(ctx: Context, id: string): Promise<void> {
  const { size } = uploadToImport(ctx, id)
  const came = await sizeOf(ctx, id)
  if (came < size) throw new Problem('incomplete', `${came} of ${size} bytes have been received.`)
}

const createImport: Handler<typeof declared.createImport, Archive> = {
  prepare: (ctx, { body }) => withProblems(() => archiveOf(ctx, body)),
  handle(ctx, { body: { path: named, upload_id, run, ...options } }, archive) {
    refuseWhileSpent(ctx)
    placeOf(ctx, named, upload_id)
    const owner_id = ownerOf(ctx, options.owner_id)
    if (countOpen(ctx.db, owner_id) >= MAX_OPEN_IMPORTS)
      throw new Problem('too-many', `There are ${MAX_OPEN_IMPORTS} imports already: run or remove some first.`)
    const id = ctx.id()
    const row: ImportRow = {
      id,
      owner_id,
      node: localNode,
      ...archive,
      format: null,
      panel_version: null,
      status: 'inspecting',
      username: options.as ?? '',
      main_domain: options.domain ?? '',
      account_id: null,
      options,
      source: null,
      report: [],
      counts: countsOf([]),
      job_id: null,
      error: null,
      uid: null,
      steps: {},
      work: null,
      former: null,
      compared_at: null,
      runs: run ?? false,
      last_sync_at: null,
      created_at: ctx.now,
      finished_at: null,
      activated_at: null,
    }
    addImport(ctx, row)
    if (archive.upload_id !== null) forgetUpload(ctx, archive.upload_id)
    const job_id = ctx.enqueue({ kind: 'import.inspect', object_id: id, lane: laneOf(id) })
    setImport(ctx, id, { job_id })
    setStep(ctx, id, 'inspect', { status: 'running', job_id })
    ctx.note({
      object_id: id,
      after: archive.upload_id === null ? { path: archive.path } : { upload_id: archive.upload_id },
    })
    return accepted(ctx, id, job_id)
  },
}

/** Root or a reseller; a reseller's are its own. */
function ownerOf({ db, actor }: Context, requested: string | undefined): string {
  if (!isRoot(actor)) {
    if (requested === undefined || requested === actor.id) return actor.id
    throw new Problem('forbidden', 'owner_id: only root can set it.', { owner_id: 'only root can set it' })
  }
  const root = getSetting(db, 'root_id')!
  if (requested === undefined || requested === root) return root
  if (accountById(db, requested)?.reseller) return requested
  throw invalid('owner_id', 'must be root or a reseller')
}

const accepted = (ctx: Context, id: string, job_id: string) => ({ import: toImport(findImport(ctx, id)), job_id })

const updateImport: Handler<typeof declared.updateImport> = {
  handle(ctx, { body }) {
    refuseWhileSpent(ctx)
    const row = importById(ctx.db, ctx.found.import.id)!
    if (!['ready', 'blocked'].includes(row.status)) throw new Problem('busy', `The import is ${row.status}.`)
    const options = { ...row.options, ...body }
    const owner_id = body.owner_id === undefined ? row.owner_id : ownerOf(ctx, body.owner_id)
    setImport(ctx, row.id, { options, owner_id, ...replan(ctx, { ...row, options, owner_id }) })
    ctx.note({ object_id: row.id, after: body })
    return toImport(findImport(ctx, row.id))
  },
}

const getImportReport: Handler<typeof declared.getImportReport> = {
  handle(ctx, { query: { part, outcome, order, ...paging } }) {
    refuseWhileSpent(ctx)
    const { report, owner_id } = importById(ctx.db, ctx.found.import.id)!
    spend(ctx, owner_id, report.length * MS_PER_LINE)
    const fitting = report.filter((item) => (!part || item.part === part) && (!outcome || item.outcome === outcome))
    const sorted = order === 'desc' ? fitting.toReversed() : fitting
    const from = offsetOf(paging)
    return { counts: countsOf(report), items: sorted.slice(from, from + paging.per_page), total: fitting.length }
  },
}

const runImport: Handler<typeof declared.runImport> = {
  handle(ctx, { body: { dry_run } }) {
    refuseWhileSpent(ctx)
    const row = importById(ctx.db, ctx.found.import.id)!
    const { id, status, job_id, account_id, source } = row
    if (status === 'active') throw new Problem('in-use', `${row.username} is active already.`)
    if (status === 'removing') throw new Problem('busy', 'The import is being removed.')
    if (status === 'inspecting') throw new Problem('busy', 'The archive is being read.')
    if (status === 'queued' || status === 'running' || status === 'syncing') return accepted(ctx, id, job_id!)
    if (account_id === null && source === null) return inspectAgain(ctx, id, dry_run)
    if (account_id === null) {
      const { status: now, ...values } = replan(ctx, row)
      setImport(ctx, id, status === 'failed' && now === 'ready' ? values : { status: now!, ...values })
      if (dry_run) return accepted(ctx, id, job_id!)
      refuseBlocked(values.report!)
    }
    if (dry_run) return accepted(ctx, id, job_id!)
    ctx.note({ object_id: id, after: { username: row.username } })
    return accepted(ctx, id, beginRun(ctx, id))
  },
}

/** It could not be read before. */
function inspectAgain(ctx: Context, id: string, dryRun: boolean | undefined) {
  const job_id = ctx.enqueue({ kind: 'import.inspect', object_id: id, lane: laneOf(id) })
  setImport(ctx, id, { status: 'inspecting', job_id, error: null, finished_at: null, runs: dryRun !== true })
  setStep(ctx, id, 'inspect', { status: 'running', job_id })
  return accepted(ctx, id, job_id)
}

const compareImport: Handler<typeof declared.compareImport> = {
  handle(ctx, { body: { paths, address } }) {
    const { id, account_id, status, former, username } = ctx.found.import
    const account = account_id === null ? undefined : accountById(ctx.db, account_id)
    if (!account?.provisioned) throw new Problem('incomplete', `The import is ${status}: it has to be imported first.`)
    if (address === undefined && !former?.ips.length)
      throw new Problem(
        'not-configured',
        `The archive of ${username} does not name the old server's address: give one.`,
      )
    const unknown = paths && unknownIn(ctx, account.id, pagesOf(ctx.db, account, paths))
    if (unknown !== undefined) throw invalid('paths', `${unknown} is not a domain of ${account.username}`)
    const job_id = ctx.enqueue({
      kind: 'import.compare',
      object_id: id,
      lane: laneOf(id),
      account: nameOf(account),
      payload: { ...(paths && { paths: paths.join('\n') }), ...(address && { address }) },
    })
    ctx.note({ account, object_id: id })
    return accepted(ctx, id, job_id)
  },
}

const getImportChecklist: Handler<typeof declared.getImportChecklist> = {
  wait: (ctx) => lookUp(ctx.runtime, domainsOf(ctx, ctx.found.import)),
  handle: (ctx) => ({ items: checklistOf(ctx, ctx.found.import) }),
}

const activateImport: Handler<typeof declared.activateImport> = {
  handle(ctx) {
    const { id, status, account_id, work } = ctx.found.import
    if (status === 'queued' || status === 'running' || status === 'syncing')
      throw new Problem('busy', 'A step of the import runs.')
    const account = account_id === null ? undefined : accountById(ctx.db, account_id)
    if ((status !== 'imported' && status !== 'active') || !account)
      throw new Problem('incomplete', `The import is ${status}: it has to be imported first.`)
    if (account.importing_since !== null) {
      setAccount(ctx, account.id, { importing_since: null })
      if (work?.suspended && account.suspended_at === null) suspend(ctx, account, work.suspended.reason, false)
      raiseGeneration(ctx.runtime, account.id)
    }
    ctx.note({ account, object_id: id })
    return accepted(ctx, id, enqueueStep(ctx, id, 'activate'))
  },
}

const cancelImport: Handler<typeof declared.cancelImport> = {
  handle(ctx) {
    const { id, status, job_id, steps } = ctx.found.import
    const isRunning = ['inspecting', 'queued', 'running', 'syncing'].includes(status)
    if (!isRunning || job_id === null) throw new Problem('not-cancellable', 'Nothing of the import runs.')
    if (steps.account?.status === 'running')
      throw new Problem('not-cancellable', 'The account is being made: wait until that is done.')
    stopJob(ctx.runtime, findJob(ctx, job_id))
    setImport(ctx, id, { status: 'failed', error: 'It was cancelled.', finished_at: ctx.now })
    for (const step of importSteps)
      if (steps[step]?.status === 'running') setStep(ctx, id, step, { status: 'failed', error: 'It was cancelled.' })
    admitNext(ctx)
    ctx.note({ object_id: id })
    return accepted(ctx, id, job_id)
  },
}

const deleteImport: Handler<typeof declared.deleteImport> = {
  handle(ctx, { query: { confirm, forget } }) {
    const row = ctx.found.import
    const { id, status, job_id } = row
    if (status === 'removing') return accepted(ctx, id, job_id!)
    if (['inspecting', 'queued', 'running', 'syncing'].includes(status))
      throw new Problem('busy', 'A step of the import runs; cancel the import first.')
    const account = row.account_id === null ? undefined : accountById(ctx.db, row.account_id)
    if (status === 'active' && account && forget !== true)
      throw new Problem('in-use', `${account.username} is active: terminate the account, or forget the import alone.`)
    const isRemoved = account !== undefined && status !== 'active'
    if (isRemoved && confirm !== account.username) throw invalid('confirm', "must be the account's username")
    if (isRemoved) beginEnd(ctx, account)
    const removing = ctx.enqueue({
      kind: 'import.remove',
      object_id: id,
      lane: laneOf(id),
      ...(isRemoved && { account: nameOf(account), payload: { final_backup: 'false' } }),
    })
    setImport(ctx, id, { status: 'removing', job_id: removing, source: null })
    ctx.note({ object_id: id, before: { username: row.username } })
    return accepted(ctx, id, removing)
  },
}

export const importOperations = {
  listImports,
  createImport,
  getImport,
  updateImport,
  getImportReport,
  runImport,
  compareImport,
  getImportChecklist,
  activateImport,
  cancelImport,
  deleteImport,
}
