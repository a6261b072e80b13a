import type * as declared from '../../../contract/mysql.ts'
import type { Input } from '../../../contract/operation.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import { requireScope } from '../../../runtime/operations/authorize.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { RawAnswer } from '../../../runtime/operations/host-call.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Handler, HostHandler } from '../../../runtime/operations/run.ts'
import { attachment } from '../../../shared/attachment.ts'
import { splitPath } from '../../../shared/home-path.ts'
import { type DumpCompression, dumpEndings } from '../../../shared/sql/dumps.ts'
import type { FoundAccount } from '../../accounts/objects/find-account.ts'
import { refuseDeleting } from '../../accounts/operations/deleting.ts'
import { rawAnswer } from '../../files/content.ts'
import { optionalPath, requiredNewPath, requiredPath, textPath } from '../../files/encode-path.ts'
import { filesOf } from '../../files/of-account.ts'
import { withProblems } from '../../files/problem.ts'
import { uploadOf } from '../../files/uploads.ts'
import { toDatabase } from '../store.ts'
import type { DatabaseRow } from '../tables.ts'
import { lastExport, lastImport } from './store.ts'

type OfDatabase = Context & { readonly found: { readonly account: FoundAccount; readonly database: DatabaseRow } }
type ImportBody = Input<typeof declared.importDatabase>['body']

/** Imports and exports of an account take turns, beside its other jobs. */
export const laneOf = (account: string): string => `mysql:${account}`

/** 403 `token-scope` for an account token that may not use files of the home. */
function refuseBeyondToken({ actor, op }: Context): void {
  if (op && actor.token?.kind === 'account') requireScope(op, actor.token, ['files'])
}

/** The bytes of the upload that have arrived. */
async function bytesOf(ctx: OfDatabase, { body: { upload_id: id } }: Input<typeof declared.importDatabase>) {
  if (id === undefined || !uploadOf(ctx, ctx.found.account.id, id)) return undefined
  const { sizes } = await withProblems(() => filesOf(ctx).act('uploadSizes', { ids: [id] }))
  return sizes[0]
}

const importDatabase: Handler<typeof declared.importDatabase, number | undefined> = {
  prepare: bytesOf,
  handle(ctx, { body }, bytes) {
    const { account, database } = ctx.found
    const source = sourceOf(ctx, body, bytes)
    refuseDeleting(database.name, database)
    const { replace = false, from } = body
    const payload = { ...source, replace: String(replace), ...(from !== undefined && { from }) }
    const { name } = database
    ctx.note({ account, object_id: database.id, after: { database: name, replace, ...noted(source) } })
    const job = { kind: 'mysql.database.import', account, object_id: database.id, lane: laneOf(account.id), payload }
    return { database: toDatabase(ctx, database), job_id: ctx.enqueue(job) }
  },
}

type Source = { readonly upload: string } | { readonly path: string }

const noted = (source: Source) => ('path' in source ? { path: textPath(source.path) } : { upload: source.upload })

function sourceOf(ctx: OfDatabase, body: ImportBody, bytes: number | undefined): Source {
  const { upload_id } = body
  const path = optionalPath(body)
  if (upload_id === undefined && path === undefined)
    throw invalid('path', 'is required, or upload_id: the dump to import')
  if (path !== undefined) refuseBeyondToken(ctx)
  if (upload_id === undefined) return { path: requiredPath(body) }
  if (path !== undefined) throw invalid('path', 'cannot be combined with upload_id')
  const upload = uploadOf(ctx, ctx.found.account.id, upload_id)
  if (!upload) throw invalid('upload_id', 'names no upload of this account')
  if (bytes !== upload.size)
    throw new Problem('incomplete', `${bytes ?? 0} of ${upload.size} bytes of the upload have come.`)
  return { upload: upload_id }
}

const getDatabaseDumps: Handler<typeof declared.getDatabaseDumps> = {
  handle(ctx) {
    const { id, name } = ctx.found.database
    const { database_id: _, ...imported } = lastImport(ctx.db, id) ?? {}
    const exported = lastExport(ctx, id)
    return {
      database: name,
      ...('job_id' in imported && { import: imported }),
      ...(exported && { export: { file: exported.file, expires_at: exported.expires_at } }),
    }
  },
}

const exportDatabase: Handler<typeof declared.exportDatabase> = {
  handle(ctx, { body }) {
    const { account, database } = ctx.found
    const to = optionalPath(body) === undefined ? undefined : requiredNewPath(body)
    if (to !== undefined) refuseBeyondToken(ctx)
    refuseDeleting(database.name, database)
    const compression = body.compression ?? compressionOf(to)
    const file = to === undefined ? `${database.name}-${stamp(ctx.now)}${dumpEndings[compression]}` : nameIn(to)
    const { overwrite = false } = body
    const payload = { file, compression, ...(to !== undefined && { path: to, overwrite: String(overwrite) }) }
    const path = to === undefined ? undefined : textPath(to)
    ctx.note({
      account,
      object_id: database.id,
      after: { database: database.name, ...(path !== undefined && { path }) },
    })
    const job = { kind: 'mysql.database.export', account, object_id: database.id, lane: laneOf(account.id), payload }
    return present({ database: toDatabase(ctx, database), job_id: ctx.enqueue(job), file, path })
  },
}

/** `20261127-131500`, in UTC. */
const stamp = (now: number): string =>
  new Date(now)
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z$/g, '')
    .replace('T', '-')

const nameIn = (path: string): string => {
  const name = splitPath(Buffer.from(path, 'base64')).at(-1)
  if (!name) throw invalid('path', 'must name a file below the home')
  return textPath(name.toString('base64'))
}

/** By its ending. */
function compressionOf(path: string | undefined): DumpCompression {
  const name = path === undefined ? '' : textPath(path)
  if (/\.(?:zst|zstd)$/i.test(name)) return 'zstd'
  return /\.sql$/i.test(name) ? 'none' : 'gzip'
}

/** Where the panel keeps uploads in a home, and exports that wait for their download. */
const waiting = (id: string): string => Buffer.from(`.panel/uploads/${id}`).toString('base64')

const downloadDatabase: HostHandler<typeof declared.downloadDatabase> = {
  async act(ctx, _input, signal) {
    const found = lastExport(ctx, ctx.found.database.id)
    if (!found) throw new Problem('incomplete', 'There is no export of this database to download: make one first.')
    const [range, ifRange] = ['range', 'if-range'].map((name) => ctx.caller?.header(name))
    const input = {
      path: waiting(found.job_id),
      ...(range !== undefined && { range }),
      ...(ifRange !== undefined && { ifRange }),
    }
    const { status, headers, stream } = rawAnswer(await withProblems(() => filesOf(ctx).read(input, { signal })))
    return new RawAnswer(status, { ...headers, 'Content-Disposition': attachment(found.file) }, stream)
  },
}

export const dumpOperations = { importDatabase, getDatabaseDumps, exportDatabase, downloadDatabase }
