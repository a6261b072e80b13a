import { dataDirectory } from '../../shared/directory.ts'
import { exit } from '../../shared/exit.ts'
import { type Replica, replicaOf } from '../../shared/replica.ts'
import { CliError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { printTable } from '../output/print.ts'
import { viewWith } from '../output/view.ts'
import { stateOf } from './replica/state.ts'

const columns = ['state', 'to', 'age_seconds', 'log_bytes', 'store_bytes', 'message'].map((field) => ({ field }))

/** Prints whether the replica is up to date. */
export async function run(invocation: Invocation): Promise<void> {
  const dataDir = dataDirectory(invocation.globals.dataDir)
  const state = await stateOf(dataDir, replicaIn(dataDir))
  await printTable(viewWith(invocation, columns), [state] as never)
  if (state.state !== 'running') process.exitCode = exit.error
}

/** The replica of a data directory; the error says how to set one up. */
export function replicaIn(dataDir: string): Replica {
  const replica = replicaOf(dataDir)
  if (replica) return replica
  throw new CliError(exit.notFound, {
    type: 'panel:problems/no-replica',
    title: `No second copy is set up for ${dataDir}`,
    hint: 'panel replica init --to sftp://user@host/path --key-file FILE',
  })
}
