import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { BanExchange, FoundBan } from '../contract/commands/bans.ts'
import { BanList } from './ban-list.ts'

export interface BanReport {
  readonly seq: number
  readonly found: readonly FoundBan[]
}

/** A host's part in bans. */
export interface HostBans {
  exchange(exchange: BanExchange): Promise<BanReport>
}

/** A line for each ban: the network, and until when, in seconds. */
export const banLines = (bans: ReadonlyMap<string, number>): string =>
  [...bans].map(([network, until]) => `${network} ${Math.floor(until / 1000)}\n`).join('')

/** A directory receives no packets: it only keeps the list that a machine would load. */
export class DirectoryBans implements HostBans {
  readonly #list = new BanList()
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async exchange(exchange: BanExchange): Promise<BanReport> {
    if (this.#list.take(exchange)) writeBans(this.#path, banLines(this.#list.bans))
    return { seq: this.#list.seq, found: [] }
  }
}

/** By rename, so that a boot finds all of it or the former. What is there already is not written again. */
export function writeBans(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
