import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { dataDirectory } from '../../shared/directory.ts'
import type { Invocation } from '../invocation.ts'
import { printDocument } from '../output/print.ts'
import { version } from '../root.ts'
import { data, note } from '../terminal.ts'
import { firstArgument } from './argument.ts'
import { storeProblem } from './store-problem.ts'

/** Copies the store, its key and its certificate into one file. */
export async function run(invocation: Invocation): Promise<void> {
  const { globals } = invocation
  const file = resolve(firstArgument(invocation))
  const withKey = invocation.option('without-key') !== true
  const { backUp } = await import('../../store/backup.ts')
  const options = { dataDir: dataDirectory(globals.dataDir), file, withKey, host: hostname(), version: version() }
  const archive = await backUp(options).catch((error: unknown) => Promise.reject(storeProblem(error)))
  if (!globals.quiet) note(archive.key ? withKeyNote : withoutKeyNote)
  if (globals.quiet || globals.output === 'name' || globals.output === 'table') return data(`${file}\n`)
  return printDocument(invocation, archive)
}

const withKeyNote = 'whole and checked; it holds secret.key: keep it as safe as the server'
const withoutKeyNote =
  'whole and checked; without secret.key: webhook secrets and second factors cannot be read unless you keep that file too'
