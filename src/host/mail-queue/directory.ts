import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queueId } from '../../shared/patterns.ts'
import type { QueueChange } from '../contract/commands/mail-queue.ts'
import type { MailQueue, QueuedMessage } from './select.ts'

interface Stored extends Omit<QueuedMessage, 'id' | 'queue'> {
  readonly uid?: number
  readonly onHold?: boolean
  readonly nextAttemptAt?: number
  readonly attempts?: number
}

const file = new RegExp(`^(${queueId})\\.json$`)

/** The mail queue of a directory, which runs no mail server: its messages are files, for tests and trials. */
export class DirectoryQueue implements MailQueue {
  readonly #dir: string
  readonly #now: () => number

  constructor(root: string, now: () => number) {
    this.#dir = join(root, 'mail-queue')
    this.#now = now
  }

  async *messages(): AsyncGenerator<QueuedMessage> {
    for (const id of this.#ids()) {
      const { from, to, size, arrivedAt, reason, onHold } = this.#read(id)
      yield { id, from, to, size, arrivedAt, reason, queue: onHold ? 'hold' : 'deferred' }
    }
  }

  ownerOf = async ({ id }: QueuedMessage): Promise<number | undefined> => this.#read(id).uid

  nextAttempt = async ({ id }: QueuedMessage): Promise<number | undefined> => this.#read(id).nextAttemptAt

  attempts = ({ id }: QueuedMessage): number => this.#read(id).attempts ?? 0

  async change(change: QueueChange['change'], ids: readonly string[]): Promise<readonly string[]> {
    const there = new Set(this.#ids())
    const found = ids.filter((id) => there.has(id))
    for (const id of found) this.#change(change, id)
    return found
  }

  #change(change: QueueChange['change'], id: string): void {
    if (change === 'delete') return rmSync(this.#path(id))
    const now = change === 'retry' ? { nextAttemptAt: this.#now() } : { onHold: change === 'hold' }
    writeFileSync(this.#path(id), JSON.stringify({ ...this.#read(id), ...now }), { mode: 0o600 })
  }

  #ids(): string[] {
    try {
      return readdirSync(this.#dir).flatMap((name) => file.exec(name)?.[1] ?? [])
    } catch {
      return []
    }
  }

  #path = (id: string): string => join(this.#dir, `${id}.json`)

  #read = (id: string): Stored => JSON.parse(readFileSync(this.#path(id), 'utf8')) as Stored
}
