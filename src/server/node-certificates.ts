import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeCertificates, ServerCertificate } from '../runtime/security/server-certificate.ts'
import type { ServerNames } from '../runtime/settings/server-names.ts'
import { OwnCertificate } from './own-certificate.ts'

const fingerprint = /^[0-9a-f]{64}$/

/** The nodes' certificates below `<data-dir>/tls/nodes/`, one folder per machine. */
export class StoredNodeCertificates implements NodeCertificates {
  readonly #directory: string
  readonly #now: () => number
  /** One per machine, so that two orders never write the same files concurrently. */
  readonly #known = new Map<string, { readonly name: string; readonly certificate: OwnCertificate }>()

  constructor(directory: string, now: () => number) {
    this.#directory = directory
    this.#now = now
  }

  of(machine: string, names: () => ServerNames): ServerCertificate {
    const name = names().panel
    const known = this.#known.get(machine)
    if (known?.name === name) return known.certificate
    const certificate = new OwnCertificate(join(this.#directory, machine), names, this.#now)
    this.#known.set(machine, { name, certificate })
    return certificate
  }

  dropOthers(machines: readonly string[]): void {
    const found = existsSync(this.#directory) ? readdirSync(this.#directory) : []
    const others = found.filter((name) => fingerprint.test(name) && !machines.includes(name))
    for (const machine of others) {
      this.#known.delete(machine)
      rmSync(join(this.#directory, machine), { recursive: true })
    }
  }
}
