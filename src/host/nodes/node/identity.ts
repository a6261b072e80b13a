import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../../../shared/files.ts'
import { publicKeyHash } from '../../../shared/public-key.ts'

const folder = 'var/lib/panel-host/node'

/** What a node knows about itself and its control plane. */
export interface KnownPanel {
  readonly id: string
  readonly name: string
  readonly certificate: string
  readonly authorities: readonly string[]
  /** The control plane's announced addresses, in order: `host:port`. */
  readonly addresses: readonly string[]
  /** Addresses that worked, the latest first; kept because announced ones may be wrong. */
  readonly reached?: readonly string[]
}

const MAX_ADDRESSES = 4

/** A node's identity, in files that only root can read. The key never leaves them. */
export class Identity {
  readonly #root: string
  #key: string
  #known: KnownPanel

  private constructor(root: string, { key, known }: StoredIdentity) {
    this.#root = root
    this.#key = key
    this.#known = known
  }

  /** Undefined if the machine has not joined. */
  static read(root: string): Identity | undefined {
    const stored = storedBelow(root)
    return stored && new Identity(root, stored)
  }

  /** Stores what the control plane gave a machine that joined. */
  static write(root: string, key: string, known: KnownPanel): void {
    const files = filesBelow(root)
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
    refuseForeign(key, known.certificate)
    writePrivate(files.key, key)
    writePrivate(files.node, textOf(known))
  }

  get key(): string {
    return this.#key
  }

  get known(): KnownPanel {
    return this.#known
  }

  /** Addresses to try, in order. */
  get addresses(): readonly string[] {
    const { addresses, reached = [] } = this.#known
    return [...new Set([...addresses, ...reached])]
  }

  /** Records that this address worked. */
  noteReached(address: string): void {
    const { reached = [] } = this.#known
    if (reached[0] !== address)
      this.#keep({ ...this.#known, reached: [...new Set([address, ...reached])].slice(0, MAX_ADDRESSES) })
  }

  /** Loads the identity of a machine that joined again; returns whether it changed. */
  reread(): boolean {
    const stored = storedBelow(this.#root)
    if (!stored || stored.key === this.#key) return false
    this.#key = stored.key
    this.#known = stored.known
    return true
  }

  /** Stores what is announced, unless the machine has joined again; without addresses, those that worked remain. */
  learn(news: { authorities: readonly string[]; addresses: readonly string[]; certificate?: string }): void {
    if (news.certificate !== undefined) refuseForeign(this.key, news.certificate)
    const { authorities, addresses, reached = [], certificate } = this.#known
    this.#keep({
      ...this.#known,
      authorities: news.authorities.length > 0 ? news.authorities : authorities,
      addresses: news.addresses.length > 0 || reached.length > 0 ? news.addresses : addresses,
      certificate: news.certificate ?? certificate,
    })
  }

  #keep(known: KnownPanel): void {
    if (textOf(known) === textOf(this.#known)) return
    if (storedBelow(this.#root)?.key !== this.#key) return
    writePrivate(filesBelow(this.#root).node, textOf(known))
    this.#known = known
  }
}

const filesBelow = (root: string) => ({ key: join(root, folder, 'key.pem'), node: join(root, folder, 'node.json') })

interface StoredIdentity {
  readonly key: string
  readonly known: KnownPanel
}

/** Undefined if the two do not match: they are being written. */
function storedBelow(root: string): StoredIdentity | undefined {
  const files = filesBelow(root)
  if (!existsSync(files.node) || !existsSync(files.key)) return undefined
  const known = JSON.parse(readFileSync(files.node, 'utf8')) as KnownPanel
  const key = readFileSync(files.key, 'utf8')
  return isFor(key, known.certificate) ? { key, known } : undefined
}

const textOf = (known: KnownPanel): string => `${JSON.stringify(known, null, 2)}\n`

function refuseForeign(key: string, certificate: string): void {
  if (!isFor(key, certificate)) throw new Error("The certificate that the panel sent is not one for this node's key.")
}

const isFor = (key: string, certificate: string): boolean =>
  publicKeyHash(new X509Certificate(certificate).publicKey) === publicKeyHash(createPublicKey(createPrivateKey(key)))
