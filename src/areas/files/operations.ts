import type * as declared from '../../contract/files.ts'
import type * as trashDeclared from '../../contract/trash.ts'
import type { HostHandler } from '../../runtime/run.ts'
import { archiveFiles, copyFile, emptyTrash, extractArchive } from './begin.ts'
import { readFile, writeFile } from './content.ts'
import { cursorOf, nameIn } from './cursor.ts'
import { filesOf } from './of-account.ts'
import { withProblems } from './problem.ts'
import { createUpload, deleteUpload, getUpload, listUploads, saveUpload, sendUpload } from './uploads.ts'
import { givenPath, neededPath, shownPath, toEntry, toItem } from './wire.ts'

const home = ''

const listFiles: HostHandler<typeof declared.listFiles> = {
  async act(ctx, { query }, signal) {
    const path = givenPath(query) ?? home
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
    const path = givenPath(query) ?? home
    return toEntry(await withProblems(() => filesOf(ctx).act('stat', { path }, { signal })))
  },
}

const makeDirectory: HostHandler<typeof declared.makeDirectory> = {
  record: (ctx, { body }) => ctx.note({ after: { path: shownPath(neededPath(body)) } }),
  async act(ctx, { body }, signal) {
    const told = { path: neededPath(body), parents: body.parents ?? false }
    return toEntry(await withProblems(() => filesOf(ctx).act('makeDirectory', told, { signal })))
  },
}

const moveFile: HostHandler<typeof declared.moveFile> = {
  record: (ctx, { body }) =>
    ctx.note({
      before: { path: shownPath(neededPath(body, 'from')) },
      after: { path: shownPath(neededPath(body, 'to')) },
    }),
  async act(ctx, { body }, signal) {
    const told = { from: neededPath(body, 'from'), to: neededPath(body, 'to'), overwrite: body.overwrite ?? false }
    return toEntry(await withProblems(() => filesOf(ctx).act('move', told, { signal })))
  },
}

const chmodFile: HostHandler<typeof declared.chmodFile> = {
  record: (ctx, { body }) => ctx.note({ after: { path: shownPath(neededPath(body)), mode: body.mode } }),
  async act(ctx, { body }, signal) {
    const told = { path: neededPath(body), mode: body.mode }
    return toEntry(await withProblems(() => filesOf(ctx).act('chmod', told, { signal })))
  },
}

const deleteFile: HostHandler<typeof declared.deleteFile> = {
  record: (ctx, { query }) => ctx.note({ before: { path: shownPath(neededPath(query)) } }),
  async act(ctx, { query }, signal) {
    const told = { path: neededPath(query), id: ctx.id(), now: ctx.now }
    return { trash_item: toItem(await withProblems(() => filesOf(ctx).act('trash', told, { signal }))) }
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
    const to = givenPath(body, 'to')
    const told = { id: params.xid, ...(to !== undefined && { to }) }
    return toEntry(await withProblems(() => filesOf(ctx).act('restore', told, { signal })))
  },
}

export const fileOperations = {
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
