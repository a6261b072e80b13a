import { timingSafeEqual } from 'node:crypto'
import type * as declared from '../../contract/files.ts'
import { invalid } from '../../contract/problem.ts'
import type * as trashDeclared from '../../contract/trash.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { readFile, writeFile } from './content.ts'
import { neededPath, optionalPath, textPath, toEntry, toItem } from './encode-path.ts'
import { checkHtaccess } from './htaccess.ts'
import { filesOf, type OfAccount } from './of-account.ts'
import { tallyOf } from './pending-bytes.ts'
import { withProblems } from './problem.ts'
import { makeRoom, roomLeft } from './quota.ts'
import { archiveFiles, copyFile, emptyTrash, extractArchive } from './start-job.ts'
import { createUpload, deleteUpload, getUpload, listUploads, saveUpload, sendUpload } from './uploads.ts'

const macBytes = 16

const macOf = ({ runtime, found }: OfAccount, name: Buffer): Buffer =>
  Buffer.from(runtime.fingerprint('file cursor', `${found.account.id}\n${name.toString('base64')}`), 'hex').subarray(
    0,
    macBytes,
  )

/** A page's last name, authenticated. Names are bytes in base64. */
function cursorOf(ctx: OfAccount, name: string): string {
  const bytes = Buffer.from(name, 'base64')
  return Buffer.concat([macOf(ctx, bytes), bytes]).toString('base64url')
}

/** The name in a cursor; 400 if it is forged or of another account. */
function nameIn(ctx: OfAccount, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, name] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)]
  if (mac.length < macBytes || !timingSafeEqual(mac, macOf(ctx, name)))
    throw invalid('cursor', 'is not a cursor returned by this list')
  return name.toString('base64')
}

const home = ''

const listFiles: HostHandler<typeof declared.listFiles> = {
  async act(ctx, { query }, signal) {
    const path = optionalPath(query) ?? home
    const after = query.cursor === undefined ? {} : { after: nameIn(ctx, query.cursor) }
    const listed = await withProblems(() =>
      filesOf(ctx).act('list', { path, limit: query.limit, ...after }, { signal }),
    )
    const next = listed.next === undefined ? {} : { next: cursorOf(ctx, listed.next) }
    return { items: listed.items.map(toEntry), total: listed.total, ...next }
  },
}

const statFile: HostHandler<typeof declared.statFile> = {
  async act(ctx, { query }, signal) {
    const path = optionalPath(query) ?? home
    return toEntry(await withProblems(() => filesOf(ctx).act('stat', { path }, { signal })))
  },
}

const makeDirectory: HostHandler<typeof declared.makeDirectory> = {
  record: (ctx, { body }) => ctx.note({ after: { path: textPath(neededPath(body)) } }),
  async act(ctx, { body }, signal) {
    const { runtime, found } = ctx
    const path = { path: neededPath(body), parents: body.parents ?? false }
    const depth = path.parents ? textPath(path.path).split('/').length : 1
    await makeRoom(runtime, found.account.id, { inodes: depth }, signal)
    const { inodes } = roomLeft(runtime, found.account.id)
    const input = { ...path, ...(inodes !== undefined && { inodes }) }
    const made = await withProblems(() => filesOf(ctx).act('makeDirectory', input, { signal }))
    tallyOf(runtime, found.account.id).made += depth
    return toEntry(made)
  },
}

const moveFile: HostHandler<typeof declared.moveFile> = {
  record: (ctx, { body }) =>
    ctx.note({
      before: { path: textPath(neededPath(body, 'from')) },
      after: { path: textPath(neededPath(body, 'to')) },
    }),
  async act(ctx, { body }, signal) {
    const input = { from: neededPath(body, 'from'), to: neededPath(body, 'to'), overwrite: body.overwrite ?? false }
    return toEntry(await withProblems(() => filesOf(ctx).act('move', input, { signal })))
  },
}

const chmodFile: HostHandler<typeof declared.chmodFile> = {
  record: (ctx, { body }) => ctx.note({ after: { path: textPath(neededPath(body)), mode: body.mode } }),
  async act(ctx, { body }, signal) {
    const input = { path: neededPath(body), mode: body.mode }
    return toEntry(await withProblems(() => filesOf(ctx).act('chmod', input, { signal })))
  },
}

const deleteFile: HostHandler<typeof declared.deleteFile> = {
  record: (ctx, { query }) => ctx.note({ before: { path: textPath(neededPath(query)) } }),
  async act(ctx, { query }, signal) {
    const input = { path: neededPath(query), id: ctx.id(), now: ctx.now }
    return { trash_item: toItem(await withProblems(() => filesOf(ctx).act('trash', input, { signal }))) }
  },
}

const listTrash: HostHandler<typeof trashDeclared.listTrash> = {
  async act(ctx, _input, signal) {
    const { items } = await withProblems(() => filesOf(ctx).act('listTrash', {}, { signal }))
    return { items: items.map(toItem) }
  },
}

const restoreTrashItem: HostHandler<typeof trashDeclared.restoreTrashItem> = {
  record: (ctx, { params }) => ctx.note({ object_id: params.xid }),
  async act(ctx, { params, body }, signal) {
    const to = optionalPath(body, 'to')
    const input = { id: params.xid, ...(to !== undefined && { to }) }
    return toEntry(await withProblems(() => filesOf(ctx).act('restore', input, { signal })))
  },
}

export const fileOperations = {
  checkHtaccess,
  listFiles,
  statFile,
  readFile,
  writeFile,
  makeDirectory,
  moveFile,
  copyFile,
  archiveFiles,
  extractArchive,
  chmodFile,
  deleteFile,
  listTrash,
  restoreTrashItem,
  emptyTrash,
  listUploads,
  createUpload,
  getUpload,
  sendUpload,
  deleteUpload,
  saveUpload,
}
