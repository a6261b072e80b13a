import type { FileHandle } from 'node:fs/promises'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { z } from 'zod'
import type * as declared from '../../../contract/import-uploads.ts'
import { invalid, notFound, Problem } from '../../../contract/problem.ts'
import type { Upload } from '../../../contract/uploads.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Inbox } from '../../../runtime/operations/host-call.ts'
import type { Handler, HostHandler } from '../../../runtime/operations/run.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { day } from '../../../shared/time.ts'
import { importSettings } from '../limits.ts'
import { bytesOfImports } from '../store.ts'
import { type ImportUploadRow, importUploads } from '../tables.ts'
import { openUpload, removeFile, roomFor, sizeOf } from './files.ts'

const MAX_UPLOADS = 10
const RETENTION_MS = 7 * day

const viewOf = ({ id, name, size, sha256, created_at, expires_at }: ImportUploadRow, offset: number) =>
  ({
    id,
    ...(name !== null && { name }),
    size,
    ...(sha256 !== null && { sha256 }),
    offset,
    created_at,
    expires_at,
  }) satisfies z.input<typeof Upload>

const uploadsOf = ({ db, now }: Context, owner: string): ImportUploadRow[] =>
  db
    .select()
    .from(importUploads)
    .where(and(eq(importUploads.owner_id, owner), gt(importUploads.expires_at, now)))
    .orderBy(importUploads.id)
    .all()

/** The caller's own; root sees all. */
export function findUpload({ db, now, actor }: Context, id: string): ImportUploadRow {
  const found = db.select().from(importUploads).where(eq(importUploads.id, id)).get()
  const isSeen = found && found.expires_at > now && (isRoot(actor) || found.owner_id === actor.id)
  if (!isSeen) throw notFound('upload')
  return found
}

export const forgetUpload = ({ db }: Pick<Context, 'db'>, id: string): void =>
  void db.delete(importUploads).where(eq(importUploads.id, id)).run()

const listImportUploads: HostHandler<typeof declared.listImportUploads> = {
  async act(ctx) {
    const rows = uploadsOf(ctx, ctx.actor.id)
    const offsets = await Promise.all(rows.map(({ id }) => sizeOf(ctx, id)))
    return { items: rows.map((row, at) => viewOf(row, offsets[at]!)) }
  },
}

const createImportUpload: Handler<typeof declared.createImportUpload, number> = {
  prepare: (ctx) => roomFor(ctx),
  handle(ctx, { body: { size, sha256 = null, name = null } }, room) {
    const max = getSetting(ctx.db, 'import_upload_max') ?? importSettings.import_upload_max
    if (size > max) throw invalid('size', `must be at most ${max} (import_upload_max)`)
    ctx.db.delete(importUploads).where(lte(importUploads.expires_at, ctx.now)).run()
    const own = uploadsOf(ctx, ctx.actor.id)
    if (own.length >= MAX_UPLOADS)
      throw new Problem('too-many', `There are ${MAX_UPLOADS} uploads already: import or delete one first.`)
    refuseWithoutRoom(ctx, size, room)
    const times = { created_at: ctx.now, expires_at: ctx.now + RETENTION_MS }
    const row = { id: ctx.id(), owner_id: ctx.actor.id, name, size, sha256, ...times }
    ctx.db.insert(importUploads).values(row).run()
    ctx.note({ object_id: row.id, after: { size, ...(name !== null && { name }) } })
    return viewOf(row, 0)
  },
}

/**
 * A reseller takes room only while more is free than its archives take, and none of root's: what it announces need never
 * come. Bytes that came already are counted twice: rather too few uploads begin.
 */
function refuseWithoutRoom(ctx: Context, size: number, room: number): void {
  const announced = sizesOf(ctx)
  const free = room - (isRoot(ctx.actor) ? announced(ctx.actor.id) : announced())
  const own = isRoot(ctx.actor) ? 0 : announced(ctx.actor.id) + bytesOfImports(ctx.db, ctx.actor.id)
  if (size > free) throw new Problem('storage-full', 'The server lacks room for the archive.')
  if (!isRoot(ctx.actor) && own + size > free - size)
    throw new Problem('storage-full', 'The server lacks room for the archive beside your others and those of others.')
}

/** Bytes of uploads that have begun: of one caller, or of all. */
function sizesOf({ db, now }: Context): (owner?: string) => number {
  const rows = db.select().from(importUploads).where(gt(importUploads.expires_at, now)).all()
  return (owner) =>
    rows.filter(({ owner_id }) => (owner ?? owner_id) === owner_id).reduce((sum, { size }) => sum + size, 0)
}

const getImportUpload: HostHandler<typeof declared.getImportUpload> = {
  act: async (ctx) => viewOf(ctx.found.upload, await sizeOf(ctx, ctx.found.upload.id)),
}

/** Uploads that bytes are being written to. */
const busy = new Set<string>()

const sendImportUpload: HostHandler<typeof declared.sendImportUpload> = {
  record: (ctx, { query }) => ctx.note({ object_id: ctx.found.upload.id, after: { offset: query.offset } }),
  async receive(ctx, { query: { offset } }) {
    const { upload } = ctx.found
    const had = await sizeOf(ctx, upload.id)
    if (busy.has(upload.id) || offset !== had) throw otherOffset(had)
    busy.add(upload.id)
    try {
      return new Incoming(await openUpload(ctx, upload.id), upload, offset)
    } catch (error) {
      busy.delete(upload.id)
      throw error
    }
  },
}

const otherOffset = (had: number): Problem =>
  new Problem('changed', `${had} bytes have been received: continue there.`, undefined, {
    'Upload-Offset': String(had),
  })

/** Writes bytes at their place; a part that is too long leaves nothing. */
class Incoming implements Inbox<z.input<typeof Upload>> {
  readonly #file: FileHandle
  readonly #upload: ImportUploadRow
  readonly #from: number
  #at: number
  #isOpen = true

  constructor(file: FileHandle, upload: ImportUploadRow, from: number) {
    this.#file = file
    this.#upload = upload
    this.#from = from
    this.#at = from
  }

  async take(bytes: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of bytes) {
      if (this.#at + chunk.length > this.#upload.size) {
        await this.#file.truncate(this.#from)
        throw invalid('body', `exceeds the ${this.#upload.size} bytes of the upload`)
      }
      await this.#file.writev([chunk], this.#at)
      this.#at += chunk.length
    }
  }

  async commit(): Promise<z.input<typeof Upload>> {
    await this.#file.sync()
    await this.discard()
    return viewOf(this.#upload, this.#at)
  }

  /** What has come stays. */
  async discard(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    busy.delete(this.#upload.id)
    await this.#file.close()
  }
}

const deleteImportUpload: HostHandler<typeof declared.deleteImportUpload> = {
  record(ctx) {
    ctx.note({ object_id: ctx.found.upload.id })
    forgetUpload(ctx, ctx.found.upload.id)
  },
  async act(ctx) {
    await removeFile(ctx, ctx.found.upload.id)
    return undefined
  },
}

export const uploadOperations = {
  listImportUploads,
  createImportUpload,
  getImportUpload,
  sendImportUpload,
  deleteImportUpload,
}
