import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { dataDirectory } from '../../shared/directory.ts'
import { exit } from '../../shared/exit.ts'
import { CliError, inputNeeded } from '../errors.ts'
import { askText } from '../input/ask.ts'
import { again, type Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { iso } from '../output/time.ts'
import { version } from '../root.ts'
import { canAsk, data, note, writeError } from '../terminal.ts'
import { firstArgument } from './argument.ts'
import { storeProblem } from './store-problem.ts'

export interface Intent {
  readonly archive: {
    readonly made_at: number
    readonly host: string
    readonly counts: Readonly<Record<string, number>>
  }
  readonly replaces: boolean
}

/** Replaces the store with a backup. */
export async function run(invocation: Invocation): Promise<void> {
  const { globals } = invocation
  const file = resolve(firstArgument(invocation))
  const dataDir = dataDirectory(globals.dataDir)
  const { restore } = await import('../../server/upkeep.ts')
  const agree = (intent: Intent): Promise<void> => confirmReplacing(invocation, dataDir, intent)
  const restored = await restore({ file, dataDir, host: hostname(), version: version() }, agree).catch(
    (error: unknown) => Promise.reject(storeProblem(error)),
  )
  if (!globals.quiet) advise(restored, dataDir)
  if (globals.quiet || globals.output === 'name' || globals.output === 'table') return data(`${dataDir}\n`)
  return printDocument(invocation.globals, { data_dir: dataDir, ...restored })
}

/** Confirms that a store is replaced; the command's name must be typed. */
export async function confirmReplacing(invocation: Invocation, dataDir: string, intent: Intent): Promise<void> {
  const { archive, replaces } = intent
  if (!replaces || invocation.option('yes')) return
  if (!canAsk()) throw inputNeeded(`${dataDir} already holds a store`, `to replace it: ${again(invocation, '--yes')}`)
  const { host, made_at, counts } = archive
  writeError(
    `The backup is of ${host}, ${iso(made_at)}, with ${counts['accounts']} accounts.\nIt replaces the store in ${dataDir}.\n`,
  )
  const word = invocation.command.words[0]!
  if ((await askText(`Type ${word} to confirm:`)).trim() !== word) throw declined()
}

const declined = (): CliError =>
  new CliError(exit.error, { type: 'panel:problems/declined', title: 'Not confirmed: nothing was changed' })

interface RestoredStore {
  readonly archive: { readonly host: string }
  readonly kept?: string
  readonly key: 'restored' | 'present' | 'missing' | 'other'
}

function advise({ archive, kept: stored, key }: RestoredStore, dataDir: string): void {
  if (stored) note(`the old store is kept in ${stored}`)
  const keyHint = `put the secret.key of ${archive.host} into ${dataDir} before you start the server: without it webhook secrets and second factors cannot be read, and the server does not start`
  if (key === 'present') note(`the backup has no keys: the secret.key in ${dataDir} is used`)
  if (key === 'missing') note(`the backup has no keys, and there is none in ${dataDir}: ${keyHint}`)
  if (key === 'other') note(`the backup has no keys, and the secret.key in ${dataDir} is a different one: ${keyHint}`)
  note('next: start the server, check `panel jobs list`, and revoke tokens that should not be valid again')
}
