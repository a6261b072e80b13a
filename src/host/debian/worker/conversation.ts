import { chunksFrom, sendChunks } from './chunks.ts'
import type { WorkerProcess } from './process.ts'
import type { FromWorker, WorkerVerb, WorkerVerbs } from './verbs.ts'

/** One request and its answers. It ends once, and returns its worker to the pool if it is reusable. */
export class Conversation<Verb extends WorkerVerb> {
  readonly #worker: WorkerProcess
  readonly #giveBack: (worker: WorkerProcess, isClean: boolean) => void
  readonly #signal: AbortSignal | undefined
  readonly #cancel = (): void => this.#worker.say({ type: 'cancel' })
  /** Bytes are in flight, and the request is unanswered. */
  #streaming = false
  #asking = true
  #over = false

  constructor(
    worker: WorkerProcess,
    { verb, username, told }: { verb: Verb; username: string; told: WorkerVerbs[Verb]['told'] },
    giveBack: (worker: WorkerProcess, isClean: boolean) => void,
    signal?: AbortSignal,
  ) {
    this.#worker = worker
    this.#giveBack = giveBack
    this.#signal = signal
    signal?.addEventListener('abort', this.#cancel)
    worker.say({ type: 'ask', verb, username, told })
  }

  opened<Answer extends object | null>(): Promise<Answer> {
    return this.#hear('opened').then(({ answer }) => answer as Answer)
  }

  /** The bytes that it sends. */
  async *bytes(): AsyncGenerator<Buffer> {
    this.#worker.say({ type: 'go' })
    this.#streaming = true
    try {
      yield* chunksFrom(this.#worker.bytes)
      this.#streaming = false
    } catch (error) {
      // It reports what is wrong, if it still can.
      await this.done()
      throw error
    } finally {
      if (this.#streaming) this.end()
    }
  }

  /** Sends it the bytes that it was told to take. */
  async send(bytes: AsyncIterable<Buffer>): Promise<void> {
    this.#streaming = true
    await sendChunks(this.#worker.bytes, bytes)
    this.#streaming = false
  }

  /** Sends it bytes and returns how many it took. */
  async take(bytes: AsyncIterable<Buffer>): Promise<number> {
    this.#worker.say({ type: 'take' })
    const stop = new AbortController()
    this.#streaming = true
    const sent = sendChunks(this.#worker.bytes, bytes, stop.signal)
    sent.catch(() => {})
    const { size } = await this.#hear('received').finally(() => stop.abort())
    this.#streaming = false
    return size
  }

  commit(): Promise<WorkerVerbs[Verb]['result']> {
    this.#worker.say({ type: 'commit' })
    return this.done()
  }

  async drop(): Promise<void> {
    if (this.#over) return
    this.#worker.say({ type: 'drop' })
    await this.done()
  }

  /** Its result. */
  async done(): Promise<WorkerVerbs[Verb]['result']> {
    const { result } = await this.#hear('done')
    this.#asking = false
    this.end()
    return result as WorkerVerbs[Verb]['result']
  }

  /** The worker is no longer usable, however it ended. */
  end(): void {
    if (this.#over) return
    this.#over = true
    this.#signal?.removeEventListener('abort', this.#cancel)
    this.#giveBack(this.#worker, !this.#asking && !this.#streaming)
  }

  async #hear<Type extends FromWorker['type']>(type: Type): Promise<Extract<FromWorker, { type: Type }>> {
    try {
      return await this.#worker.hear(type)
    } catch (error) {
      this.#asking = this.#worker.isOver
      this.end()
      throw this.#signal?.aborted ? this.#signal.reason : error
    }
  }
}
