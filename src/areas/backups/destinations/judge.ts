import type { Context } from '../../../runtime/context.ts'
import { withinTime } from '../../../runtime/host-call.ts'
import { withProblems } from '../../files/problem.ts'
import { hostOf } from '../../host/host.ts'
import type { DestinationRow } from '../tables.ts'

type Judged = Pick<DestinationRow, 'type'> & { readonly path?: string | null | undefined }

/** Asks the host whether it can keep backups in a place of this kind: a directory as it must be, or restic. */
export async function judgeOnHost({ runtime }: Context, { type, path }: Judged): Promise<void> {
  if (type === 'local' && (path === undefined || path === null)) return
  const told = type === 'local' ? { path: path! } : {}
  const { signal } = new AbortController()
  await withinTime(runtime.clock, signal, (ending) =>
    withProblems(() => hostOf(runtime).judgePlace(told, { signal: ending })),
  )
}
