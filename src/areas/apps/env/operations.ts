import type * as declared from '../../../contract/apps/env.ts'
import type { Input } from '../../../contract/operation.ts'
import { invalid } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { enqueueApply } from '../change.ts'
import { type OfApp, refuseGone } from '../refuse.ts'
import { envOf, removeVariable, setVariable, textOf, toVariable } from './store.ts'

const maxNames = 200
const maxBytes = 256 * 1024
const MAX_VALUE_BYTES = 32 * 1024

type AppEnvBody = Input<typeof declared.setAppEnv>['body']

const getAppEnv: Handler<typeof declared.getAppEnv> = {
  handle: (ctx) => ({ items: envOf(ctx.db, ctx.found.app.id).map(toVariable) }),
}

const setAppEnv: Handler<typeof declared.setAppEnv> = {
  handle(ctx, { body }) {
    const { account, app } = ctx.found
    const { set = [], remove = [] } = body
    refuseTwice(body)
    for (const name of remove) removeVariable(ctx, app.id, name)
    for (const variable of set) setVariable(ctx, app.id, variable)
    refuseTooMuch(ctx)
    refuseGone(ctx)
    ctx.note({ account, object_id: app.id, after: { app: app.name, set: set.map(({ name }) => name), remove } })
    return { items: envOf(ctx.db, app.id).map(toVariable), job_id: enqueueApply(ctx) }
  },
}

function refuseTwice({ set = [], remove = [] }: AppEnvBody): void {
  const names = set.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw invalid('set', `${twice} is given twice`)
  const both = remove.find((name) => names.includes(name))
  if (both !== undefined) throw invalid('remove', `${both} is also under set`)
  const long = set.find(({ value }) => Buffer.byteLength(value) > MAX_VALUE_BYTES)
  if (long) throw invalid('set', `the value of ${long.name} must be at most ${MAX_VALUE_BYTES / 1024} KiB`)
}

/** Checks the resulting environment, including earlier variables. */
function refuseTooMuch({ db, runtime, found: { app } }: Context & OfApp): void {
  const rows = envOf(db, app.id)
  if (rows.length > maxNames) throw invalid('set', `would make ${rows.length} variables; ${maxNames} are the most`)
  const bytes = rows.reduce((sum, row) => sum + row.name.length + Buffer.byteLength(textOf(runtime, row)), 0)
  if (bytes > maxBytes) throw invalid('set', `would make ${bytes} bytes in all; ${maxBytes} are the most`)
}

export const envOperations = { getAppEnv, setAppEnv }
