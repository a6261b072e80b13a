import type { Context } from '../../../runtime/operations/context.ts'
import { withinTime } from '../../../runtime/operations/host-call.ts'
import { withProblems } from '../../files/problem.ts'
import { hostOf } from '../../host/host.ts'
import type { DestinationRow } from '../tables.ts'

type CheckedDestination = Pick<DestinationRow, 'type'> & { readonly path?: string | null | undefined }

/** Asks the host whether it can keep backups there: the directory must be suitable, or restic installed. */
export async function validateOnHost({ runtime }: Context, { type, path }: CheckedDestination): Promise<void> {
  if (type === 'local' && (path === undefined || path === null)) return
  const input = type === 'local' ? { path: path! } : {}
  const { signal } = new AbortController()
  await withinTime(runtime.clock, signal, (ending) =>
    withProblems(() => hostOf(runtime).validatePlace(input, { signal: ending })),
  )
}
