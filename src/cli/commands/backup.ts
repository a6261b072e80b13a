import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { dataDirectory } from '../../shared/directory.ts'
import { usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { version } from '../root.ts'
import { data, note } from '../terminal.ts'
import { firstArgument } from './argument.ts'
import { storeProblem } from './store-problem.ts'

/** Copies the store into one file, with its keys if asked. */
export async function run(invocation: Invocation): Promise<void> {
  const { globals } = invocation
  const file = resolve(fileIn(firstArgument(invocation)))
  const withKeys = invocation.option('with-keys') === true
  const { backUp } = await import('../../server/upkeep.ts')
  const options = { dataDir: dataDirectory(globals.dataDir), file, withKeys, host: hostname(), version: version() }
  const archive = await backUp(options).catch((error: unknown) => Promise.reject(storeProblem(error)))
  if (!globals.quiet) note(archive.keys ? withKeysNote : withoutKeysNote(options.dataDir))
  if (globals.quiet || globals.output === 'name' || globals.output === 'table') return data(`${file}\n`)
  return printDocument(invocation.globals, archive)
}

const actions = /^(add|check|create|delete|download|list|ls|new|now|restore|schedule|show)$/

/** `panel backup list` is about accounts, and would otherwise write a file of that name. */
function fileIn(typed: string): string {
  if (!actions.test(typed)) return typed
  const hint = `backups of accounts: panel backups --help; for a file of this name: panel backup ./${typed}`
  throw usage(`${typed} is not the name of a file to write`, hint)
}

const withKeysNote = 'complete and verified; it contains secret.key and the TLS key: keep it as safe as the server'
const withoutKeysNote = (dataDir: string): string =>
  `complete and verified, without keys: keep a copy of ${dataDir}/secret.key elsewhere, or use --with-keys; webhook secrets and second factors cannot be read without it`
