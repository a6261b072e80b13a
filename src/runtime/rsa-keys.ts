import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
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
  /** A key that is ready, or one made now where no other is being made; else none. */
  take(): Promise<RsaKey | undefined>
  /** A key, however long it takes. */
  make(): Promise<RsaKey>
  /** Makes keys ahead. */
  fill(signal: AbortSignal): Promise<void>
}

declare module './runtime.ts' {
  interface Runtime {
    readonly rsaKeys: RsaKeys
  }
}

const generate = promisify(generateKeyPair)

async function newKey(): Promise<RsaKey> {
  const { privateKey, publicKey } = await generate('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  })
  return { privatePem: privateKey, publicKey: publicKey.toString('base64') }
}

const ahead = 4

/** Makes keys in Node's thread pool, one at a time, and a few of them ahead. */
export class KeyPool implements RsaKeys {
  readonly #semaphore = new Semaphore(1, 1000)
  readonly #ready: RsaKey[] = []
  #making = 0

  async take(): Promise<RsaKey | undefined> {
    return this.#ready.shift() ?? (this.#making === 0 ? this.make() : undefined)
  }

  async make(): Promise<RsaKey> {
    this.#making++
    try {
      return await this.#semaphore.run(newKey)
    } finally {
      this.#making--
    }
  }

  async fill(signal: AbortSignal): Promise<void> {
    while (this.#ready.length < ahead && !signal.aborted) this.#ready.push(await this.make())
  }
}
