import { readFileSync } from 'node:fs'
import { reasonOf } from '../../shared/system-error.ts'
import { inputNeeded, usage } from '../errors.ts'
import type { Client } from '../request/client.ts'
import type { Field } from '../table.ts'
import { canAsk } from '../terminal.ts'
import { isPem, pemInput } from './pem-file.ts'
import { readStandardInput } from './standard-input.ts'

/** Where to read a secret from. */
export interface SecretOptions {
  readonly [option: string]: unknown
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')

function fromFile(option: string, path: string): string {
  try {
    return withoutLineEnd(readFileSync(path, 'utf8'))
  } catch (error) {
    throw usage(`--${option}: ${path}: ${reasonOf(error)}`)
  }
}

const currentPassword = 'current_password'

/** Customers only change their own password, which requires the current one. */
export const isNeeded = ({ name, required }: Field, { target }: Client): boolean =>
  required === true || (name === currentPassword && target.session?.panel === 'user')

/** A field's secret from where the options say; undefined without any. Never an argument. */
export async function secretOf(
  field: Field,
  provided: (option: string) => unknown,
  beforeAsking: () => void,
): Promise<string | undefined> {
  const secret = pemFromOption(field, provided) ?? secretFromOption(field.option, provided)
  if (secret !== undefined) return secret
  if (!provided(field.option) && !field.required) return undefined
  if (!canAsk()) throw secretNeeded(field)
  beforeAsking()
  const { askExisting, askSecret } = await import('./ask.ts')
  return field.name === currentPassword ? askExisting(field) : askSecret(field)
}

/** A key from a file of any form. */
function pemFromOption({ pem, option, fileOption = option }: Field, provided: (option: string) => unknown) {
  const path = pem && (provided(fileOption) ?? provided(`${option}-file`))
  if (typeof path !== 'string') return undefined
  if (isPem(path)) throw usage(`--${fileOption} takes a file: others on this machine could read the key`)
  return notEmpty(fileOption, pemInput(fileOption, path))
}

/** The secret from standard input or a file; undefined if neither is given. */
export function secretFromOption(option: string, provided: (option: string) => unknown): string | undefined {
  const file = provided(`${option}-file`)
  if (provided(`${option}-stdin`)) {
    if (file !== undefined)
      throw usage(`--${option}-stdin and --${option}-file cannot both be given`, alternatives(option))
    return notEmpty(`${option}-stdin`, withoutLineEnd(readStandardInput()))
  }
  return typeof file === 'string' ? notEmpty(`${option}-file`, fromFile(`${option}-file`, file)) : undefined
}

function notEmpty(option: string, secret: string): string {
  if (secret === '') throw inputNeeded(`--${option} is empty`)
  return secret
}

/** Rejects a secret given as an argument, before anything is sent. */
export function refuseAsArgument({ option }: Pick<Field, 'option'>, provided: (option: string) => unknown): void {
  if (typeof provided(option) === 'string') throw neverAnArgument(option)
}

const neverAnArgument = (option: string) =>
  usage(`--${option} takes no value: others on this machine could read it`, alternatives(option))

const secretNeeded = (field: Field) =>
  inputNeeded('Input is needed', alternatives(field.option), { [field.name]: `required: ${field.description}` })

const alternatives = (option: string): string => `use --${option}-stdin or --${option}-file FILE`
