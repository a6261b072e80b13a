import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { lowerPriority } from '../../shared/priority.ts'
import { FairQueue } from '../fair-queue.ts'
import type { Turn } from '../jobs/shares.ts'

/** A 2048-bit RSA key. */
export interface RsaKey {
  /** PKCS #8, as PEM. */
  readonly privatePem: string
  /** DER, in base64. */
  readonly publicKey: string
}

/** A source of keys that are slow to make. */
export interface RsaKeys {
  /** Returns a ready key, or the next one if no other caller waits for it; starts making a replacement. */
  take(): Promise<RsaKey | undefined>
  /** Makes a key, however long it takes, in its caller's turn. */
  make(turn: Turn | undefined): Promise<RsaKey>
  /** Fills the pool and waits until it is full. */
  fill(signal: AbortSignal): Promise<void>
}

declare module '../runtime.ts' {
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

/** Below the server and its agent, above idle work: a job may be waiting for the key. */
const priority = 10

/** Made in a low-priority process, which leaves the processor to requests; a thread could not. */
function newKey(): Promise<RsaKey> {
  return new Promise((resolve, reject) => {
    const maker = execFile(process.execPath, ['-e', program], { env: {} }, (error, output) => {
      if (error) reject(new Error(`A key could not be made: ${error.message}`))
      else resolve(JSON.parse(output))
    })
    if (maker.pid) lowerPriority(priority, maker.pid)
  })
}

const ahead = 4
/** Keys made ahead take turns with callers, since tenants use them up. */
const ofPool: Turn = { owner: 'pool', member: 'pool' }

/** Makes keys one at a time, a few ahead. */
export class KeyPool implements RsaKeys {
  readonly #queue = new FairQueue(1, 1000)
  readonly #newKey: () => Promise<RsaKey>
  readonly #ready: RsaKey[] = []
  #filling: Promise<void> | undefined
  #awaited = false

  constructor(maker = newKey) {
    this.#newKey = maker
  }

  async take(): Promise<RsaKey | undefined> {
    const key = this.#ready.shift() ?? (this.#awaited ? undefined : await this.#next())
    // The next call of `fill` reports the error.
    this.#refill().catch(() => {})
    return key
  }

  async #next(): Promise<RsaKey | undefined> {
    this.#awaited = true
    const key = await this.make(ofPool).catch(() => undefined)
    this.#awaited = false
    return key
  }

  make(turn: Turn | undefined): Promise<RsaKey> {
    return this.#queue.run(turn, this.#newKey)
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
    while (this.#ready.length < ahead) this.#ready.push(await this.make(ofPool))
  }
}
