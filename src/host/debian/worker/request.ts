import { chunksFrom, sendChunks } from './chunks.ts'
import { limitsOf } from './limits.ts'
import type { WorkerProcess } from './process.ts'
import type { FromWorker, WorkerVerb, WorkerVerbs } from './verbs.ts'
import { Watch } from './watch.ts'

/** One request and its answers. It ends once, and returns its worker to the pool if it is reusable. */
export class Conversation<Verb extends WorkerVerb> {
  readonly #worker: WorkerProcess
  readonly #giveBack: (worker: WorkerProcess, isClean: boolean) => void
  readonly #signal: AbortSignal | undefined
  readonly #watch: Watch
  readonly #cancel = (): void => this.#worker.say({ type: 'cancel' })
  /** Bytes are in flight, and the request is unanswered. */
  #streaming = false
  #asking = true
  #over = false

  constructor(
    worker: WorkerProcess,
    { verb, username, input }: { verb: Verb; username: string; input: WorkerVerbs[Verb]['input'] },
    giveBack: (worker: WorkerProcess, isClean: boolean) => void,
    signal?: AbortSignal,
  ) {
    this.#worker = worker
    this.#giveBack = giveBack
    this.#signal = signal
    signal?.addEventListener('abort', this.#cancel)
    this.#watch = new Watch(worker, limitsOf(verb, input))
    worker.say({ type: 'ask', verb, username, input })
  }

  opened<Answer extends object | null>(): Promise<Answer> {
    return this.#hear('opened').then(({ answer }) => answer as Answer)
  }

  /** The bytes that it sends. */
  async *bytes(): AsyncGenerator<Buffer> {
    this.#worker.say({ type: 'go' })
    this.#streaming = true
    try {
      this.#watch.isPending = true
      for await (const chunk of chunksFrom(this.#worker.bytes)) {
        this.#watch.isPending = false
        yield chunk
        this.#watch.isPending = true
      }
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
    await sendChunks(this.#worker.bytes, this.#taking(bytes))
    this.#streaming = false
  }

  /** Sends it bytes and returns how many it took. */
  async take(bytes: AsyncIterable<Buffer>): Promise<number> {
    this.#worker.say({ type: 'take' })
    const stop = new AbortController()
    this.#streaming = true
    const sent = sendChunks(this.#worker.bytes, this.#taking(bytes), stop.signal)
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
    this.#watch.end()
    this.#signal?.removeEventListener('abort', this.#cancel)
    this.#giveBack(this.#worker, !this.#asking && !this.#streaming)
  }

  /** While these are waited for, the worker has nothing to do. */
  async *#taking(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.#watch.isPending = false
    for await (const chunk of bytes) {
      this.#watch.isPending = true
      yield chunk
      this.#watch.isPending = false
    }
    this.#watch.isPending = true
  }

  async #hear<Type extends FromWorker['type']>(type: Type): Promise<Extract<FromWorker, { type: Type }>> {
    this.#watch.isPending = true
    try {
      return await this.#worker.hear(type).finally(() => {
        this.#watch.isPending = false
      })
    } catch (error) {
      this.#asking = this.#worker.isOver
      this.end()
      throw this.#signal?.aborted ? this.#signal.reason : error
    }
  }
}
