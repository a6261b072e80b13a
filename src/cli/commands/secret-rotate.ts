import { join } from 'node:path'
import { dataDirectory } from '../../shared/directory.ts'
import type { Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { data, note } from '../terminal.ts'
import { storeProblem } from './store-problem.ts'

/** Re-encrypts everything in the store under a new key. */
export async function run(invocation: Invocation): Promise<void> {
  const { globals } = invocation
  const dataDir = dataDirectory(globals.dataDir)
  const { rotateSecret } = await import('../../server/upkeep.ts')
  const values = await rotateSecret(dataDir).catch((error: unknown) => Promise.reject(storeProblem(error)))
  if (!globals.quiet) {
    note(`values encrypted with the new key: ${values}`)
    note('next: start the server, and make a new backup: older ones need the old key')
  }
  const file = join(dataDir, 'secret.key')
  if (globals.quiet || globals.output === 'name' || globals.output === 'table') return data(`${file}\n`)
  return printDocument(invocation.globals, { key_file: file, values })
}
