import { createPrivateKey } from 'node:crypto'
import { pkcs12Label } from '../../shared/pem-file.ts'
import { inputNeeded, usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import type { RequestInput } from '../request/plan.ts'
import type { Operation } from '../table.ts'
import { canAsk } from '../terminal.ts'
import { isPem } from './pem-file.ts'
import { refuseAsArgument, secretFromOption } from './secrets.ts'

type PemFlags = NonNullable<Operation['pem']>
type Body = NonNullable<RequestInput['body']>

/** Opens a PKCS #12 file or an encrypted key on this machine, so that its password stays here. */
export async function openLocked(invocation: Invocation, pem: PemFlags, { body }: RequestInput): Promise<void> {
  if (!body) return
  refuseAsArgument({ option: 'password' }, invocation.option)
  const certificate = body[pem.certificate]
  if (isContainer(certificate)) Object.assign(body, await contentOf(invocation, pem, certificate, body[pem.chain]))
  else for (const field of [pem.certificate, pem.chain]) separateKey(invocation, pem, body, field)
  const key = body[pem.key]
  if (isLocked(key)) body[pem.key] = await unlocked(invocation, key)
}

const keyBlocks = /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----.*?-----END \1-----\s*/gs

/** A key in the same file as certificates is sent as the key. */
function separateKey({ option }: Invocation, pem: PemFlags, body: Body, field: string): void {
  const text = body[field]
  const [found, ...others] = typeof text === 'string' ? (text.match(keyBlocks) ?? []) : []
  if (found === undefined) return
  const name = `--${field.replaceAll('_', '-')}`
  if (isPem(String(option(name.slice(2)))))
    throw usage(`${name} has a private key: others on this machine could read it`, 'give the path of the file')
  if (others.some((other) => isOtherKey(found, other)))
    throw usage(`${name} has ${others.length + 1} private keys`, 'give the right one as --key FILE')
  if (isOtherKey(found, body[pem.key]))
    throw usage(`${name} has another private key than --key`, 'leave out the one that is wrong')
  body[field] = String(text).replace(keyBlocks, '')
  body[pem.key] ??= option('dry-run') ? '[secret]' : found
}

/** Whether both are keys that can be read, and differ. */
function isOtherKey(one: string, other: unknown): boolean {
  const [left, right] = [one, other].map(keyOf)
  return left !== undefined && right !== undefined && !left.equals(right)
}

function keyOf(text: unknown) {
  try {
    return createPrivateKey(String(text))
  } catch {
    return undefined
  }
}

const isContainer = (text: unknown): text is string =>
  typeof text === 'string' && text.startsWith(`-----BEGIN ${pkcs12Label}-----`)

const isLocked = (text: unknown): text is string =>
  typeof text === 'string' && /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text)

async function contentOf({ option }: Invocation, pem: PemFlags, text: string, chain: unknown) {
  const { openPkcs12 } = await import('./pkcs12.ts')
  const der = Buffer.from(text.replace(/-----[^-]+-----/g, ''), 'base64')
  const password = secretFromOption('password', option) ?? (option('password') ? await promptedSecret() : undefined)
  const found = openPkcs12(der, password ?? '')
  if (found === 'password') throw password === undefined ? needed('is locked: its password is needed') : otherPassword()
  const above = [found.chain, typeof chain === 'string' ? chain : ''].join('')
  return {
    [pem.certificate]: found.certificate,
    [pem.key]: option('dry-run') ? '[secret]' : found.key,
    ...(above && { [pem.chain]: above }),
  }
}

async function unlocked({ option }: Invocation, key: string): Promise<string> {
  const passphrase = secretFromOption('password', option) ?? (option('password') ? await promptedSecret() : undefined)
  if (passphrase === undefined) throw needed('is locked: its password is needed', 'The key')
  try {
    return createPrivateKey({ key, passphrase }).export({ type: 'pkcs8', format: 'pem' }).toString()
  } catch {
    throw usage('The key cannot be opened with this password')
  }
}

async function promptedSecret(): Promise<string> {
  if (!canAsk()) throw needed('is locked: its password is needed')
  const { askHidden } = await import('./ask.ts')
  return askHidden('Password of the file:')
}

const otherPassword = () =>
  usage('The PKCS #12 file cannot be opened with this password', 'give the one that was set when the file was exported')

const needed = (what: string, file = 'The PKCS #12 file') =>
  inputNeeded(`${file} ${what}`, 'give --password-stdin or --password-file FILE')
