import type { AppKind } from '../../contract/apps/settings.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { AppRow } from './tables.ts'

/** Kinds that run a process, unlike files that the web server serves. */
export const programKinds: readonly AppKind[] = ['node', 'python']
export const isProgram = (kind: AppKind): boolean => programKinds.includes(kind)

/** The start command. */
export const startOf = ({ kind, start }: Pick<AppRow, 'kind' | 'start'>): string | undefined =>
  start ?? (kind === 'node' ? 'npm start' : undefined)

/** Whether a deploy runs the tenant's code. */
const runsCode = ({ kind, install, build }: AppRow): boolean => isProgram(kind) || install !== null || build !== null

/** 409 `not-configured` if the server does not run tenants' code. */
export function refuseCode({ runtime }: Pick<Context, 'runtime'>, app: AppRow): void {
  if (runtime.runsTenantCode || !runsCode(app)) return
  throw new Problem(
    'not-configured',
    'This server does not run apps or commands of accounts. `panel serve --trust-tenants` allows it.',
  )
}
