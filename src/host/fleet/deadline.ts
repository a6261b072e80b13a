import { HostError } from '../driver.ts'

type After = (ms: number, act: () => void) => () => void

/** What a node may take for something, and whose request it is. */
export interface Deadline {
  readonly node: string
  readonly ms: number
  readonly after: After
  readonly signal?: AbortSignal | undefined
}

/** Aborts a node's work at its deadline and goes on without it, even if the node never answers. */
export async function within<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { node, ms, after, signal: outer } = deadline
  const late = new AbortController()
  const signal = outer ? AbortSignal.any([outer, late.signal]) : late.signal
  const cancel = after(ms, () => late.abort(missed(node, ms)))
  let hear = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    hear = () => reject(signal.reason)
    if (signal.aborted) hear()
    else signal.addEventListener('abort', hear)
  })
  try {
    return await Promise.race([work(signal), aborted])
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    cancel()
    signal.removeEventListener('abort', hear)
  }
}

const missed = (node: string, ms: number): HostError =>
  new HostError('stage', `Node ${node} did not answer within ${ms / 1000} seconds.`, 'away')
