import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { giveWay } from '../shared/priority.ts'
import { Semaphore } from './semaphore.ts'

/** An RSA key of 2048 bits. */
export interface RsaKey {
  /** PKCS #8, as PEM. */
  readonly privatePem: string
  /** Its DER in base64. */
  readonly publicKey: string
}

/** Where keys come from that are slow to make. */
export interface RsaKeys {
  /** A key that is ready, else the next one where no other caller waits for it; another is made in its place. */
  take(): Promise<RsaKey | undefined>
  /** A key, however long it takes. */
  make(): Promise<RsaKey>
  /** Makes keys ahead, and waits until they are ready. */
  fill(signal: AbortSignal): Promise<void>
}

declare module './runtime.ts' {
  interface Runtime {
    readonly rsaKeys: RsaKeys
  }
}

const program = `
  const { privateKey, publicKey } = require('node:crypto').generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  })
  console.log(JSON.stringify({ privatePem: privateKey, publicKey: publicKey.toString('base64') }))
`

/** Below the server and its agent, above what the machine does in idle time: one job may be waiting for the key. */
const priority = 10

/** Made in a process of its own, which yields the processor to requests: in this one a thread of a key's work could not. */
function newKey(): Promise<RsaKey> {
  return new Promise((resolve, reject) => {
    const maker = execFile(process.execPath, ['-e', program], { env: {} }, (error, output) => {
      if (error) reject(new Error(`A key could not be made: ${error.message}`))
      else resolve(JSON.parse(output))
    })
    if (maker.pid) giveWay(priority, maker.pid)
  })
}

const ahead = 4

/** Makes keys one at a time, and a few of them ahead. */
export class KeyPool implements RsaKeys {
  readonly #semaphore = new Semaphore(1, 1000)
  readonly #ready: RsaKey[] = []
  #filling: Promise<void> | undefined
  #awaited = false

  async take(): Promise<RsaKey | undefined> {
    const key = this.#ready.shift() ?? (this.#awaited ? undefined : await this.#next())
    // Why a key cannot be made is told to the next caller of `fill`.
    this.#refill().catch(() => {})
    return key
  }

  async #next(): Promise<RsaKey | undefined> {
    this.#awaited = true
    const key = await this.make().catch(() => undefined)
    this.#awaited = false
    return key
  }

  make(): Promise<RsaKey> {
    return this.#semaphore.run(newKey)
  }

  async fill(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await Promise.race([this.#refill(), once(signal, 'abort')])
  }

  #refill(): Promise<void> {
    this.#filling ??= this.#makeMissing().finally(() => {
      this.#filling = undefined
    })
    return this.#filling
  }

  async #makeMissing(): Promise<void> {
    while (this.#ready.length < ahead) this.#ready.push(await this.make())
  }
}
