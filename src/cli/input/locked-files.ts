import { createPrivateKey } from 'node:crypto'
import { inputNeeded, usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import type { RequestInput } from '../request/plan.ts'
import type { Operation } from '../table.ts'
import { canAsk } from '../terminal.ts'
import { pkcs12Label } from './pem-file.ts'
import { refuseAsArgument, secretFromOption } from './secrets.ts'

type PemFlags = NonNullable<Operation['pem']>

/** Opens a PKCS #12 file or an encrypted key on this machine, so that its password stays here. */
export async function openLocked(invocation: Invocation, pem: PemFlags, { body }: RequestInput): Promise<void> {
  if (!body) return
  refuseAsArgument({ option: 'password' }, invocation.option)
  const [certificate, key] = [body[pem.certificate], body[pem.key]]
  if (isContainer(certificate)) Object.assign(body, await contentOf(invocation, pem, certificate, body[pem.chain]))
  else if (isLocked(key)) body[pem.key] = await unlocked(invocation, key)
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
  if (found === 'password')
    throw needed(password === undefined ? 'is locked: its password is needed' : 'has another password')
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

const needed = (what: string, file = 'The PKCS #12 file') =>
  inputNeeded(`${file} ${what}`, 'give --password-stdin or --password-file FILE')
