import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { dataDirectory, systemDirectory } from '../../shared/directory.ts'
import type { Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { version } from '../root.ts'
import { data, note } from '../terminal.ts'
import { firstArgument } from './argument.ts'
import { confirmReplacing, type Intent } from './restore.ts'
import { foundAt, placeOf } from './service/unit-file.ts'
import { storeProblem } from './store-problem.ts'

/** Makes a copy of another machine's store the one that counts, and starts the server. */
export async function run(invocation: Invocation): Promise<void> {
  const { globals } = invocation
  const file = resolve(firstArgument(invocation))
  const dataDir = dataDirectory(globals.dataDir)
  const { takeOver } = await import('../../server/upkeep.ts')
  const agree = (intent: Intent): Promise<void> => confirmReplacing(invocation, dataDir, intent)
  const options = { file, dataDir, host: hostname(), version: version(), move: invocation.option('move') === true }
  const taken = await takeOver(options, agree).catch((error: unknown) => Promise.reject(storeProblem(error)))
  const started = invocation.option('start') !== false && hasService(dataDir) && start()
  if (!globals.quiet) advise(taken, dataDir, started)
  if (globals.quiet || globals.output === 'name' || globals.output === 'table') return data(`${dataDir}\n`)
  return printDocument(globals, { data_dir: dataDir, ...taken, started })
}

/** Whether the machine has a service for this directory. */
const hasService = (dataDir: string): boolean =>
  process.getuid?.() === 0 &&
  dataDir === systemDirectory &&
  foundAt(placeOf(true)) === 'ours' &&
  existsSync('/run/systemd/system')

function start(): boolean {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  return spawnSync('systemctl', ['restart', 'panel'], { stdio: 'inherit' }).status === 0
}

function advise({ kept: stored }: { readonly kept?: string }, dataDir: string, started: boolean): void {
  if (stored) note(`the old store is kept in ${stored}`)
  if (!started) note(`next: start the server: panel serve --data-dir ${dataDir}`)
  note('all accounts are then compared with their hosts, one after the other: panel jobs list --kind host.apply')
  note('data on hosts that the store does not know is not touched: panel host status --accounts')
  note('the old server must not start again; if it does, nodes refuse it, and it changes nothing')
}
