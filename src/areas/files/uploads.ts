import { and, eq, gt, lte } from 'drizzle-orm'
import type { z } from 'zod'
import { notFound, Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/uploads.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler, HostHandler } from '../../runtime/operations/run.ts'
import { day } from '../../shared/time.ts'
import { neededPath, textPath, toEntry } from './encode-path.ts'
import { filesOf, type OfAccount } from './of-account.ts'
import { withProblems } from './problem.ts'
import { beyondQuota } from './quota.ts'
import { announcedBy, receiving } from './receiving.ts'
import { type UploadRow, uploads } from './tables.ts'

const maxUploads = 10
const UPLOAD_RETENTION_MS = day

const viewOf = (row: UploadRow, offset: number): z.input<typeof declared.Upload> => ({
  id: row.id,
  ...(row.name !== null && { name: row.name }),
  size: row.size,
  ...(row.sha256 !== null && { sha256: row.sha256 }),
  offset,
  created_at: row.created_at,
  expires_at: row.expires_at,
})

const uploadsOf = ({ db, now }: Context, accountId: string): UploadRow[] =>
  db
    .select()
    .from(uploads)
    .where(and(eq(uploads.account_id, accountId), gt(uploads.expires_at, now)))
    .orderBy(uploads.id)
    .all()

/** The account's upload with this id, unless it has expired. */
export const uploadOf = ({ db, now }: Pick<Context, 'db' | 'now'>, accountId: string, id: string) =>
  db
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), eq(uploads.account_id, accountId), gt(uploads.expires_at, now)))
    .get()

/** An upload that can still be saved, or 404. */
export function findUpload(ctx: Context, accountId: string, id: string): UploadRow {
  const found = uploadOf(ctx, accountId, id)
  if (!found) throw notFound('upload')
  return found
}

/** How many bytes of each have arrived. */
async function offsetsOf(ctx: OfAccount, rows: readonly UploadRow[], signal?: AbortSignal): Promise<readonly number[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const { sizes } = await withProblems(() => filesOf(ctx).act('uploadSizes', { ids }, signal ? { signal } : {}))
  return sizes
}

export const listUploads: HostHandler<typeof declared.listUploads> = {
  async act(ctx, _input, signal) {
    const rows = uploadsOf(ctx, ctx.found.account.id)
    const offsets = await offsetsOf(ctx, rows, signal)
    return { items: rows.map((row, at) => viewOf(row, offsets[at]!)) }
  },
}

export const createUpload: Handler<typeof declared.createUpload, Problem | undefined> = {
  prepare: (ctx, { body }) => beyondQuota(ctx, body.size),
  handle(ctx, { body }, problem) {
    const { account } = ctx.found
    ctx.db.delete(uploads).where(lte(uploads.expires_at, ctx.now)).run()
    const rows = uploadsOf(ctx, account.id)
    if (rows.length >= maxUploads)
      throw new Problem('too-many', `There are ${maxUploads} uploads already: save or delete one first.`)
    if (problem) throw problem
    const { size, sha256 = null, name = null } = body
    const times = { created_at: ctx.now, expires_at: ctx.now + UPLOAD_RETENTION_MS }
    const row = { id: ctx.id(), account_id: account.id, name, size, sha256, ...times }
    ctx.db.insert(uploads).values(row).run()
    ctx.note({ account, object_id: row.id, after: { size, ...(name !== null && { name }) } })
    return viewOf(row, 0)
  },
}

export const getUpload: HostHandler<typeof declared.getUpload> = {
  async act(ctx, _input, signal) {
    const [offset] = await offsetsOf(ctx, [ctx.found.upload], signal)
    return viewOf(ctx.found.upload, offset!)
  },
}

export const sendUpload: HostHandler<typeof declared.sendUpload> = {
  record: (ctx, { query }) => ctx.note({ object_id: ctx.found.upload.id, after: { offset: query.offset } }),
  async receive(ctx, { query }, signal) {
    const { id, size } = ctx.found.upload
    const announced = announcedBy(ctx.caller)
    const input = { id, offset: query.offset, length: announced ?? 0, size }
    const body = { announced, max: size - query.offset, keepsParts: true }
    const open = (room: object) =>
      withProblems(() => filesOf(ctx).append({ ...input, ...room }, { signal })).catch((error: unknown) =>
        withOffset(ctx, error),
      )
    return receiving(ctx, body, signal, open, ({ offset }) => viewOf(ctx.found.upload, offset))
  },
}

/** Adds the correct offset to the refusal of a wrong one. */
async function withOffset(ctx: OfAccount & { found: { upload: UploadRow } }, error: unknown): Promise<never> {
  if (!(error instanceof Problem) || error.code !== 'changed') throw error
  const [offset] = await offsetsOf(ctx, [ctx.found.upload])
  throw new Problem('changed', `${offset} bytes have been received: continue there.`, undefined, {
    'Upload-Offset': String(offset),
  })
}

export const forgetUpload = (ctx: Pick<Context, 'db'>, id: string): void =>
  void ctx.db.delete(uploads).where(eq(uploads.id, id)).run()

export const deleteUpload: HostHandler<typeof declared.deleteUpload> = {
  record(ctx) {
    ctx.note({ object_id: ctx.found.upload.id })
    forgetUpload(ctx, ctx.found.upload.id)
  },
  async act(ctx, { params }, signal) {
    await withProblems(() => filesOf(ctx).act('dropUpload', { id: params.uid }, { signal }))
    return undefined
  },
}

export const saveUpload: HostHandler<typeof declared.saveUpload> = {
  record: (ctx, { body }) => ctx.note({ object_id: ctx.found.upload.id, after: { path: textPath(neededPath(body)) } }),
  async act(ctx, { body }, signal) {
    const { id, size, sha256 } = ctx.found.upload
    const input = {
      id,
      size,
      path: neededPath(body),
      overwrite: body.overwrite ?? false,
      ...(sha256 !== null && { sha256 }),
      ...(body.mode !== undefined && { mode: body.mode }),
    }
    const entry = await withProblems(() => filesOf(ctx).act('saveUpload', input, { signal }))
    await ctx.store.change(() => forgetUpload(ctx, id))
    return toEntry(entry)
  },
}
