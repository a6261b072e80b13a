import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemEnvironment } from '../commands.ts'

/** The least that a queue file takes, in bytes. */
const BLOCK_BYTES = 4096
/** Messages whose sender is remembered; beyond it the oldest are not attributed. */
const MAX_MESSAGES = 200_000
const LIST_TIMEOUT_MS = 60_000
/** Accepted messages that the list may not show yet. */
const SETTLING_MS = 10_000

/** Bytes by queue id. */
export type ListQueue = () => Promise<ReadonlyMap<string, number>>

export interface WaitingPlaces {
  /** Where programs' messages are before Postfix takes them: files of their users. */
  readonly maildrop: string
  readonly list: ListQueue
  readonly now?: () => number
}

interface Message {
  readonly uid: number
  readonly at: number
}

/** What accounts have waiting in the queue, in bytes: by the user who wrote it or logged in, never by a sender's name. */
export class WaitingMail {
  readonly #places: WaitingPlaces
  readonly #messages = new Map<string, Message>()
  #bytes: ReadonlyMap<number, number> = new Map()

  constructor(places: WaitingPlaces) {
    this.#places = places
  }

  /** A message of an account was accepted. */
  note(queueId: string, uid: number): void {
    this.#messages.set(queueId, { uid, at: this.#now() })
    if (this.#messages.size > MAX_MESSAGES) this.#messages.delete(this.#messages.keys().next().value!)
  }

  of(uid: number): number {
    return this.#bytes.get(uid) ?? 0
  }

  /** Measures. */
  async look(): Promise<void> {
    const sums = new Map<number, number>()
    const add = (uid: number, bytes: number) => sums.set(uid, (sums.get(uid) ?? 0) + Math.max(BLOCK_BYTES, bytes))
    const { maildrop, list } = this.#places
    for (const name of await readdir(maildrop).catch(() => [])) {
      const stats = await lstat(join(maildrop, name)).catch(() => undefined)
      if (stats?.isFile()) add(stats.uid, stats.size)
    }
    const queued = this.#messages.size > 0 ? await list() : new Map<string, number>()
    for (const [id, { uid, at }] of this.#messages) {
      const bytes = queued.get(id)
      if (bytes !== undefined) add(uid, bytes)
      else if (at < this.#now() - SETTLING_MS) this.#messages.delete(id)
    }
    this.#bytes = sums
  }

  #now(): number {
    return (this.#places.now ?? Date.now)()
  }
}

const queues = ['maildrop', 'incoming', 'active', 'deferred', 'hold']

/** How many messages are in Postfix's queue; undefined without a Postfix. Its files are counted, in place of its list, which is slow. */
export async function queuedMail(dir: string): Promise<number | undefined> {
  if (!existsSync(join(dir, 'deferred'))) return undefined
  const counts = await Promise.all(queues.map((name) => filesBelow(join(dir, name))))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Queues may be hashed into directories; a message leaves at any moment. */
async function filesBelow(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => filesBelow(join(dir, name)))
  const counts = await Promise.all(below)
  return counts.reduce((sum, count) => sum + count, entries.filter((entry) => entry.isFile()).length)
}

/** Postfix's own list, which may be long. */
export const postqueue: ListQueue = async () => {
  const child = spawn('/usr/sbin/postqueue', ['-j'], {
    ...{ env: systemEnvironment, timeout: LIST_TIMEOUT_MS, killSignal: 'SIGKILL' as const },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const found = new Map<string, number>()
  child.on('error', () => {})
  for await (const line of createInterface({ input: child.stdout })) {
    const [, id] = /"queue_id": ?"([0-9A-Za-z]+)"/.exec(line) ?? []
    const [, bytes] = /"message_size": ?(\d+)/.exec(line) ?? []
    if (id !== undefined) found.set(id, Number(bytes))
  }
  return found
}
