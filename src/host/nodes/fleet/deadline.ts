import { untilAny } from '../../../shared/until-any.ts'
import { HostError } from '../../contract/driver.ts'

export { REPLY_TIMEOUT_MS } from '../../contract/command.ts'

/** What a node may take for something, and whose request it is. */
export interface Deadline {
  readonly node: string
  readonly ms: number
  readonly after: (ms: number, act: () => void) => () => void
  readonly signal?: AbortSignal | undefined
}

/** Aborts a node's work at its deadline and goes on without it, even if the node never answers. */
export async function within<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { node, ms, after, signal } = deadline
  const late = new AbortController()
  const cancel = after(ms, () => late.abort(missed(node, ms)))
  try {
    return await untilAny(signal ? [signal, late.signal] : [late.signal], (ending) =>
      Promise.race([work(ending), rejectedBy(ending)]),
    )
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    cancel()
  }
}

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason))
  })

const missed = (node: string, ms: number): HostError =>
  new HostError('stage', `Node ${node} did not answer within ${ms / 1000} seconds.`, 'unreachable')
