import { existsSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listed } from './queue/programs.ts'
import type { Submitters } from './queue/submitters.ts'

/** The least that a queue file takes, in bytes. */
const BLOCK_BYTES = 4096
/** Accepted messages that the list may not show yet. */
const SETTLING_MS = 10_000

/** Bytes by queue id. */
export type ListQueue = () => Promise<ReadonlyMap<string, number>>

export interface WaitingPlaces {
  /** Where programs' messages are before Postfix takes them: files of their users. */
  readonly maildrop: string
  readonly list: ListQueue
  readonly submitters: Submitters
  readonly now?: () => number
}

/** What accounts have waiting in the queue, in bytes: by the user who wrote it or logged in, never by a sender's name. */
export class WaitingMail {
  readonly #places: WaitingPlaces
  #bytes: ReadonlyMap<number, number> = new Map()

  constructor(places: WaitingPlaces) {
    this.#places = places
  }

  /** A message of an account was accepted. */
  note(queueId: string, uid: number): void {
    this.#places.submitters.add(queueId, { uid, at: this.#now() })
  }

  of(uid: number): number {
    return this.#bytes.get(uid) ?? 0
  }

  /** Measures. */
  async look(): Promise<void> {
    const sums = new Map<number, number>()
    const add = (uid: number, bytes: number) => sums.set(uid, (sums.get(uid) ?? 0) + Math.max(BLOCK_BYTES, bytes))
    const { maildrop, list, submitters } = this.#places
    for (const name of await readdir(maildrop).catch(() => [])) {
      const stats = await lstat(join(maildrop, name)).catch(() => undefined)
      if (stats?.isFile()) add(stats.uid, stats.size)
    }
    const queued = submitters.size > 0 ? await list() : new Map<string, number>()
    for (const [id, { uid, at }] of submitters) {
      const bytes = queued.get(id)
      if (bytes !== undefined) add(uid, bytes)
      else if (at < this.#now() - SETTLING_MS) submitters.forget(id)
    }
    submitters.keep()
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

/** How many of them could not be delivered yet. */
export const deferredMail = (dir: string): Promise<number> => filesBelow(join(dir, 'deferred'))

/** Queues may be hashed into directories; a message leaves at any moment. */
async function filesBelow(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => filesBelow(join(dir, name)))
  const counts = await Promise.all(below)
  return counts.reduce((sum, count) => sum + count, entries.filter((entry) => entry.isFile()).length)
}

/** Postfix's own list. */
export const postqueue: ListQueue = async () => {
  const found = new Map<string, number>()
  for await (const { id, size } of listed()) found.set(id, size)
  return found
}
