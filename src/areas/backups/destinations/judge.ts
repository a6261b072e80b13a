import type { Context } from '../../../runtime/context.ts'
import { withinTime } from '../../../runtime/host-call.ts'
import { withProblems } from '../../files/problem.ts'
import { hostOf } from '../../host/host.ts'
import type { DestinationRow } from '../tables.ts'

type Judged = Pick<DestinationRow, 'type'> & { readonly path?: string | null | undefined }

/** Asks the host whether it can keep backups there: the directory must be suitable, or restic installed. */
export async function judgeOnHost({ runtime }: Context, { type, path }: Judged): Promise<void> {
  if (type === 'local' && (path === undefined || path === null)) return
  const told = type === 'local' ? { path: path! } : {}
  const { signal } = new AbortController()
  await withinTime(runtime.clock, signal, (ending) =>
    withProblems(() => hostOf(runtime).judgePlace(told, { signal: ending })),
  )
}
