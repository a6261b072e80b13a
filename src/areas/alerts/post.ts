import type { Reach } from '../../outgoing/address.ts'
import { type Outgoing, OutgoingError } from '../../outgoing/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { rootId } from '../../runtime/settings/settings.ts'
import { shapedRequest } from './channels/shapes.ts'
import { openAddress, purpose } from './channels/store.ts'
import type { Message } from './message.ts'
import type { ChannelRow } from './tables.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_LENGTH = 500

export interface Posted {
  readonly ok: boolean
  /** The status and start of the answer, or why there is none. Contains nothing of the address. */
  readonly answer: string
}

const outgoingOf = new WeakMap<Runtime, Outgoing>()
export const useOutgoing = (runtime: Runtime, outgoing: Outgoing): void => void outgoingOf.set(runtime, outgoing)

const causes: Readonly<Record<OutgoingError['kind'], string>> = {
  timeout: 'There was no answer within 10 seconds.',
  dns: 'Its name could not be resolved.',
  connect: 'The connection failed.',
  tls: 'Its certificate or TLS is not valid.',
  'blocked-address': 'Its address is not allowed.',
  answer: 'It did not answer in HTTP.',
}

/** Posts a message to a webhook once. Never throws. */
export async function postMessage(
  runtime: Runtime,
  channel: ChannelRow,
  message: Message,
  number: number,
  stopping: AbortSignal,
): Promise<Posted> {
  const deadline = new AbortController()
  const cancel = runtime.clock.after(TIMEOUT_MS, () => deadline.abort())
  try {
    const signal = AbortSignal.any([deadline.signal, stopping])
    const request = requestOf(runtime, channel, message, number)
    const { status, start } = await outgoingOf
      .get(runtime)!
      .post({ ...request, reach: reachOf(runtime, channel), signal })
    return { ok: status >= 200 && status < 300, answer: textOf(status, start) }
  } catch (error) {
    if (error instanceof OutgoingError) return { ok: false, answer: causes[error.kind] }
    runtime.log.error({ err: error, channel: channel.id }, 'an alert could not be sent')
    return { ok: false, answer: 'The server could not send it.' }
  } finally {
    cancel()
  }
}

const reachOf = ({ store }: Runtime, { owner_id }: ChannelRow): Reach =>
  owner_id === rootId(store.db) ? 'private' : 'public'

function requestOf(runtime: Runtime, channel: ChannelRow, message: Message, number: number) {
  const secret = channel.secret === null ? '' : runtime.unseal(purpose, channel.secret)
  const signing = { secret, number, now: runtime.clock.now() }
  return shapedRequest(channel.shape!, openAddress(runtime, channel), message, signing)
}

function textOf(status: number, start: Buffer): string {
  const text = new TextDecoder()
    .decode(start)
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim()
  return `${status} ${[...text].slice(0, MAX_ANSWER_LENGTH).join('')}`.trim()
}
