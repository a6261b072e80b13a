import { existsSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { denied, usage } from '../../errors.ts'
import { note } from '../../terminal.ts'
import type { Context } from '../target.ts'

export interface Contexts {
  readonly current?: string
  readonly contexts: Readonly<Record<string, Context>>
}

/** The folder of the file with the saved servers. */
export const contextsFolder = (): string => join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'panel')

export const contextsFile = (): string => join(contextsFolder(), 'contexts.json')

/** Reads the saved servers without conf, which only writes them: every command reads them. */
export function savedContexts(): Contexts {
  const file = contextsFile()
  if (!existsSync(file)) return { contexts: {} }
  checkOwner(file)
  return wellFormed(file, parsed(file))
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw usage(`${file} cannot be read as JSON`, (error as Error).message)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const texts = ['url', 'ca', 'pin', 'user', 'token']

function wellFormed(file: string, saved: unknown): Contexts {
  const wrong = (where: string) => usage(`${file} is not a valid contexts file: ${where}`)
  if (!isObject(saved)) throw wrong('it is not an object')
  const { current, contexts = {} } = saved
  if (current !== undefined && typeof current !== 'string') throw wrong('current')
  if (!isObject(contexts)) throw wrong('contexts')
  for (const [name, context] of Object.entries(contexts)) if (!isContext(context)) throw wrong(`contexts.${name}`)
  return { contexts: contexts as Contexts['contexts'], ...(current !== undefined && { current }) }
}

function isContext(value: unknown): boolean {
  if (!isObject(value) || typeof value['url'] !== 'string') return false
  const { session } = value
  const sound = session === undefined || (isObject(session) && ['cookie', 'csrf'].every((key) => isText(session[key])))
  return sound && texts.every((key) => value[key] === undefined || isText(value[key]))
}

const isText = (value: unknown): boolean => typeof value === 'string'

const writableByOthers = 0o022
const readableByOthers = 0o044
let warned = false

/** Checks the owner: write access decides where passwords are sent, and read access is enough to act as the owner. */
function checkOwner(file: string): void {
  const { mode, uid } = statSync(file)
  const self = process.getuid?.()
  if (self === undefined) return
  if (uid !== self && uid !== 0 && self !== 0) throw denied(`${file} belongs to another user`)
  if (mode & writableByOthers) throw denied(`other users can write to ${file}`, `chmod 600 ${file}`)
  if (!(mode & readableByOthers) || warned) return
  warned = true
  note(`warning: other users can read ${file}, which holds secrets: chmod 600 ${file}`)
}
