import type * as declared from '../../contract/files.ts'
import { Problem } from '../../contract/problem.ts'
import type * as trashDeclared from '../../contract/trash.ts'
import { FileError, type FileInput } from '../../host/contract/driver.ts'
import type { Context, NewJob } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { requiredPath, requiredPaths, textPath } from './encode-path.ts'
import { filesOf, type OfAccount } from './of-account.ts'
import { asProblem } from './problem.ts'

const MAX_WAIT_MS = 30_000

/** The refusal that a job would meet now. If the host cannot tell, the request is accepted and the job waits. */
async function preflight(ctx: OfAccount, input: FileInput<'foresee'>): Promise<Problem | undefined> {
  try {
    await filesOf(ctx).act('foresee', input, { signal: AbortSignal.timeout(MAX_WAIT_MS) })
    return undefined
  } catch (error) {
    if (!(error instanceof FileError) || error.reason === 'overloaded') return undefined
    const problem = asProblem(error)
    return problem instanceof Problem ? problem : undefined
  }
}

/** Enqueues a job in the account's file lane, beside its other jobs. */
function begin(ctx: Context, account: NonNullable<NewJob['account']>, kind: string, payload: Record<string, string>) {
  return { job_id: ctx.enqueue({ kind, account, lane: `files:${account.id}`, payload }) }
}

type PreflightProblem = Problem | undefined

export const copyFile: Handler<typeof declared.copyFile, PreflightProblem> = {
  prepare: (ctx, { body }) =>
    preflight(ctx, { work: 'copy', from: [requiredPath(body, 'from')], to: requiredPath(body, 'to') }),
  handle(ctx, { body }, problem) {
    if (problem) throw problem
    const { account } = ctx.found
    const payload = { from: requiredPath(body, 'from'), to: requiredPath(body, 'to') }
    ctx.note({ account, before: { path: textPath(payload.from) }, after: { path: textPath(payload.to) } })
    return begin(ctx, account, 'files.copy', payload)
  },
}

export const archiveFiles: Handler<typeof declared.archiveFiles, PreflightProblem> = {
  prepare: (ctx, { body }) =>
    preflight(ctx, { work: 'archive', from: requiredPaths(body), to: requiredPath(body, 'to') }),
  handle(ctx, { body }, problem) {
    if (problem) throw problem
    const { account } = ctx.found
    const [paths, to] = [requiredPaths(body), requiredPath(body, 'to')]
    ctx.note({ account, before: { paths: paths.map(textPath) }, after: { path: textPath(to) } })
    return begin(ctx, account, 'files.archive', { paths: paths.join(','), to, format: body.format })
  },
}

export const extractArchive: Handler<typeof declared.extractArchive, PreflightProblem> = {
  prepare: (ctx, { body }) =>
    preflight(ctx, { work: 'extract', from: [requiredPath(body)], to: requiredPath(body, 'to') }),
  handle(ctx, { body }, problem) {
    if (problem) throw problem
    const { account } = ctx.found
    const [path, to] = [requiredPath(body), requiredPath(body, 'to')]
    ctx.note({ account, before: { path: textPath(path) }, after: { path: textPath(to) } })
    const names = body.name_encoding === undefined ? {} : { encoding: body.name_encoding }
    return begin(ctx, account, 'files.extract', { path, to, overwrite: String(body.overwrite ?? false), ...names })
  },
}

export const emptyTrash: Handler<typeof trashDeclared.emptyTrash> = {
  handle(ctx) {
    const { account } = ctx.found
    ctx.note({ account })
    return begin(ctx, account, 'files.empty_trash', { before: String(ctx.now + 1) })
  },
}
