import type { getAppLog as declared } from '../../contract/apps/log.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { filesOf } from '../files/of-account.ts'
import { withProblems } from '../files/problem.ts'
import { tailPage } from '../logs/tail.ts'
import { secretsOf } from './env/store.ts'

export const getAppLog: HostHandler<typeof declared> = {
  act: (ctx, { query }, signal) => {
    const { id, name } = ctx.found.app
    const log = { ...query, file: `${name}.app.log`, secrets: secretsOf(ctx.runtime, ctx.db, id) }
    return withProblems(() => tailPage(ctx, filesOf(ctx), log, signal))
  },
}
