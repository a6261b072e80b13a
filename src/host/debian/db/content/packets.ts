import { setTimeout as wait } from 'node:timers/promises'
import { KeyedLock } from '../../../../shared/lock.ts'
import type { Sql } from '../client.ts'

/** The most that MariaDB can take as one statement. */
const MAX_PACKET_BYTES = 1024 ** 3
const DEFAULT_PACKET_BYTES = 16 * 1024 ** 2
const CONNECT_TIMEOUT_MS = 30_000
const LOOK_EVERY_MS = 100

/**
 * A dump writes blobs in hex, twice as long as they came in, so that a restore needs larger statements than the server
 * accepts. A session takes the server's limit when it connects: the limit is raised until the restore's has.
 */
export class LargePackets {
  readonly #sql: Sql
  readonly #lock = new KeyedLock()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Starts a client's work, under a lock until its session exists or the work has ended. */
  async during<T>(user: string, act: () => Promise<T>): Promise<T> {
    let work!: Promise<T>
    await this.#lock.run('', async () => {
      const defaultBytes = Number((await this.#sql(['SELECT @@GLOBAL.max_allowed_packet;'])).trim())
      await this.#set(MAX_PACKET_BYTES)
      try {
        work = act()
        await this.#connected(user, work)
      } finally {
        await this.#set(defaultBytes)
      }
    })
    return work
  }

  /** Resets the value after a crash. */
  async recover(): Promise<void> {
    const now = Number((await this.#sql(['SELECT @@GLOBAL.max_allowed_packet;'])).trim())
    if (now === MAX_PACKET_BYTES) await this.#set(DEFAULT_PACKET_BYTES)
  }

  async #connected(user: string, work: Promise<unknown>): Promise<void> {
    const query = `SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = '${user}';`
    let hasEnded = false
    work.then(
      () => (hasEnded = true),
      () => (hasEnded = true),
    )
    const until = performance.now() + CONNECT_TIMEOUT_MS
    while (!hasEnded && performance.now() < until && (await this.#sql([query])).trim() === '0')
      await wait(LOOK_EVERY_MS)
  }

  async #set(bytes: number): Promise<void> {
    await this.#sql([`SET GLOBAL max_allowed_packet = ${bytes};`])
  }
}
