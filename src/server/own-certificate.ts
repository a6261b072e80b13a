import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CertificateView, ServerCertificate } from '../runtime/security/server-certificate.ts'
import type { ServerNames } from '../runtime/settings/server-names.ts'
import { writePrivate } from '../shared/files.ts'
import { ownCertificate } from './tls.ts'

/** The server's certificate below `<data-dir>/tls/`: the one issued for its key, else self-signed. */
export class OwnCertificate implements ServerCertificate {
  readonly #directory: string
  readonly #names: () => ServerNames
  readonly #now: () => number
  readonly #issued: string
  #last: string | undefined
  #turn: Promise<unknown> = Promise.resolve()
  /** Called with each replacement. */
  changed: (presented: CertificateView) => void = () => {}

  constructor(directory: string, names: () => ServerNames, now: () => number) {
    this.#directory = directory
    this.#names = names
    this.#now = now
    this.#issued = join(directory, 'issued.pem')
  }

  current(): Promise<CertificateView> {
    const next = this.#turn.then(() => this.#look())
    this.#turn = next.catch(() => {})
    return next
  }

  async install(chain: string): Promise<void> {
    writePrivate(this.#issued, chain)
    await this.current()
  }

  async #look(): Promise<CertificateView> {
    const { panel, webmail, phpmyadmin } = this.#names()
    const { cert, key } = await ownCertificate(this.#directory, panel, this.#now(), [webmail, phpmyadmin])
    const issued = existsSync(this.#issued) ? readFileSync(this.#issued, 'utf8') : undefined
    const isGood = issued !== undefined && isOfUse(issued, key, [panel, webmail, phpmyadmin], this.#now())
    const presented: CertificateView = isGood ? { kind: 'acme', cert: issued, key } : { kind: 'self_signed', cert, key }
    if (this.#last !== undefined && this.#last !== presented.cert) this.changed(presented)
    this.#last = presented.cert
    return presented
  }
}

/** Whether it matches the key, is still valid, and covers one of the server's current names. */
function isOfUse(chain: string, key: string, names: readonly string[], now: number): boolean {
  try {
    const leaf = new X509Certificate(chain)
    const isFor = names.some((name) => leaf.checkHost(name) !== undefined)
    return isFor && leaf.checkPrivateKey(createPrivateKey(key)) && Date.parse(leaf.validTo) > now
  } catch {
    return false
  }
}
