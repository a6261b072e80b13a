import type { AppKind } from '../../contract/apps/settings.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import type { AppRow } from './tables.ts'

/** Programs of their own, and not files that the web server shows. */
export const programKinds: readonly AppKind[] = ['node', 'python']
export const isProgram = (kind: AppKind): boolean => programKinds.includes(kind)

/** The command that starts it. */
export const startOf = ({ kind, start }: Pick<AppRow, 'kind' | 'start'>): string | undefined =>
  start ?? (kind === 'node' ? 'npm start' : undefined)

/** Whether a deploy of it runs what its account wrote. */
const runsCode = ({ kind, install, build }: AppRow): boolean => isProgram(kind) || install !== null || build !== null

/** 409 `not-configured` where the server runs nothing of what accounts want to run. */
export function refuseCode({ runtime }: Pick<Context, 'runtime'>, app: AppRow): void {
  if (runtime.runsTenantCode || !runsCode(app)) return
  throw new Problem(
    'not-configured',
    'This server does not run apps or commands of accounts. `panel serve --trust-tenants` allows it.',
  )
}
