import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { QueueChange } from '../../../contract/commands/mail-queue.ts'
import type { Doing } from '../../../contract/driver.ts'
import type { MailQueue, QueuedMessage } from '../../../mail-queue/select.ts'
import { MAX_ENVELOPE_BYTES, type Recipient, recipientsIn } from './envelope.ts'
import { MessageOwners, type OwnersOptions } from './owners.ts'
import { changeListed, listed, retryListed } from './programs.ts'

export interface PostfixQueueOptions extends Pick<OwnersOptions, 'tenants' | 'submitter'> {
  readonly queueDir: string
  /** How often the delivery of a message has begun. */
  readonly attempts: (id: string) => number
  /** Another Postfix's directory. */
  readonly config?: string
}

/** Postfix divides some of its queues among directories. */
const branches = ['', ...'0123456789ABCDEF']

/** The queue of the machine's Postfix: read by `postqueue`, changed by `postsuper`. */
export class PostfixQueue implements MailQueue {
  readonly #options: PostfixQueueOptions
  readonly #owners: MessageOwners
  /** Lists are read one after the other: each makes Postfix open every message. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: PostfixQueueOptions) {
    this.#options = options
    this.#owners = new MessageOwners({ ...options, recipients: (message) => this.#recipients(message) })
  }

  async *messages(signal?: AbortSignal): AsyncGenerator<QueuedMessage> {
    const before = this.#turn
    let done = () => {}
    this.#turn = before.then(() => new Promise<void>((resolve) => (done = resolve)))
    await before
    try {
      signal?.throwIfAborted()
      this.#owners.begin()
      yield* listed(this.#options.config, signal)
    } finally {
      done()
    }
  }

  ownerOf = (message: QueuedMessage): Promise<number | undefined> => this.#owners.of(message)

  /** Postfix dates a deferred message to its next attempt. */
  async nextAttempt(message: QueuedMessage): Promise<number | undefined> {
    if (message.queue !== 'deferred') return undefined
    const path = await this.#pathOf(message)
    const stats = path === undefined ? undefined : await lstat(path).catch(() => undefined)
    return stats && Math.max(0, Math.round(stats.mtimeMs))
  }

  attempts = ({ id }: QueuedMessage): number => this.#options.attempts(id)

  change(change: QueueChange['change'], ids: readonly string[], { signal }: Doing): Promise<readonly string[]> {
    const { config } = this.#options
    return change === 'retry' ? retryListed(ids, config, signal) : changeListed(change, ids, config)
  }

  async #pathOf({ id, queue }: QueuedMessage): Promise<string | undefined> {
    if (!/^[a-z]{1,16}$/.test(queue)) return undefined
    for (const branch of branches) {
      const path = join(this.#options.queueDir, queue, branch, id)
      if (await lstat(path).catch(() => undefined)) return path
    }
    return undefined
  }

  /** Undefined if the message has left, or its envelope is not all at the beginning. */
  async #recipients(message: QueuedMessage): Promise<readonly Recipient[] | undefined> {
    const path = await this.#pathOf(message)
    const file = path && (await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined))
    if (!file) return undefined
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_ENVELOPE_BYTES), 0, MAX_ENVELOPE_BYTES, 0)
      return recipientsIn(buffer.subarray(0, bytesRead))
    } finally {
      await file.close()
    }
  }
}
