import type * as declared from '../../contract/files.ts'
import type { Problem } from '../../contract/problem.ts'
import type * as trashDeclared from '../../contract/trash.ts'
import type { Context, NewJob } from '../../runtime/context.ts'
import type { Handler } from '../../runtime/run.ts'
import { foreseen } from './foreseen.ts'
import { judgedPath, judgedPaths, shownPath } from './wire.ts'

/** Enqueues a job in the account's file lane, beside its other jobs. */
function begin(ctx: Context, account: NonNullable<NewJob['account']>, kind: string, payload: Record<string, string>) {
  return { job_id: ctx.enqueue({ kind, account, lane: `files:${account.id}`, payload }) }
}

type Foreseen = Problem | undefined

export const copyFile: Handler<typeof declared.copyFile, Foreseen> = {
  prepare: (ctx, { body }) =>
    foreseen(ctx, { work: 'copy', from: [judgedPath(body, 'from')], to: judgedPath(body, 'to') }),
  handle(ctx, { body }, fault) {
    if (fault) throw fault
    const { account } = ctx.found
    const payload = { from: judgedPath(body, 'from'), to: judgedPath(body, 'to') }
    ctx.note({ account, before: { path: shownPath(payload.from) }, after: { path: shownPath(payload.to) } })
    return begin(ctx, account, 'files.copy', payload)
  },
}

export const archiveFiles: Handler<typeof declared.archiveFiles, Foreseen> = {
  prepare: (ctx, { body }) => foreseen(ctx, { work: 'archive', from: judgedPaths(body), to: judgedPath(body, 'to') }),
  handle(ctx, { body }, fault) {
    if (fault) throw fault
    const { account } = ctx.found
    const [paths, to] = [judgedPaths(body), judgedPath(body, 'to')]
    ctx.note({ account, before: { paths: paths.map(shownPath) }, after: { path: shownPath(to) } })
    return begin(ctx, account, 'files.archive', { paths: paths.join(','), to, format: body.format })
  },
}

export const extractArchive: Handler<typeof declared.extractArchive, Foreseen> = {
  prepare: (ctx, { body }) => foreseen(ctx, { work: 'extract', from: [judgedPath(body)], to: judgedPath(body, 'to') }),
  handle(ctx, { body }, fault) {
    if (fault) throw fault
    const { account } = ctx.found
    const [path, to] = [judgedPath(body), judgedPath(body, 'to')]
    ctx.note({ account, before: { path: shownPath(path) }, after: { path: shownPath(to) } })
    return begin(ctx, account, 'files.extract', { path, to, overwrite: String(body.overwrite ?? false) })
  },
}

export const emptyTrash: Handler<typeof trashDeclared.emptyTrash> = {
  handle(ctx) {
    const { account } = ctx.found
    ctx.note({ account })
    return begin(ctx, account, 'files.empty_trash', { before: String(ctx.now + 1) })
  },
}
