import type { getAppLog as declared } from '../../contract/apps/log.ts'
import type { HostHandler } from '../../runtime/run.ts'
import { filesOf } from '../files/of-account.ts'
import { withProblems } from '../files/problem.ts'
import { tailPage } from '../logs/tail.ts'

export const getAppLog: HostHandler<typeof declared> = {
  act: (ctx, { query }, signal) =>
    withProblems(() => tailPage(ctx, filesOf(ctx), { file: `${ctx.found.app.name}.app.log`, ...query }, signal)),
}
