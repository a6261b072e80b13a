import { inputNeeded, usage } from '../errors.ts'
import { secretFromOption } from '../input/secrets.ts'
import { clientOf, type Invocation, textOption } from '../invocation.ts'
import { clockTime } from '../output/time.ts'
import type { Client } from '../request/client.ts'
import { data, note, oneLine, paintFor } from '../terminal.ts'
import { deliveryOf, serverName } from './feed/delivery.ts'
import type { FeedEvent } from './feed/follow.ts'
import { feedOptions } from './feed/options.ts'
import { post, receiverUrl, type Taken } from './feed/receiver.ts'
import { followFeed } from './feed/run.ts'

/** Forwards events to a receiver that the server cannot reach. */
export async function run(invocation: Invocation): Promise<void> {
  const url = receiverOption(invocation)
  const options = feedOptions(invocation, 'events')
  const client = clientOf(invocation)
  const secret = secretOf(invocation)
  const forward = await forwarder(client, url, secret)
  const show = await printer(invocation)
  const handle = async (event: FeedEvent, signal: AbortSignal): Promise<void> => {
    show.sent(event)
    const began = performance.now()
    const taken = await forward(event, signal)
    if (signal.aborted) return signal.throwIfAborted()
    show.taken(event, taken, Math.round(performance.now() - began))
  }
  await followFeed(invocation, client, options, handle)
}

function receiverOption(invocation: Invocation): URL {
  const provided = textOption(invocation, 'forward-to')
  if (provided === undefined) throw inputNeeded('Input is needed', 'give --forward-to http://localhost:3000/hooks')
  return receiverUrl(provided)
}

const form = /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/

function secretOf(invocation: Invocation): string {
  const provided = secretFromOption('secret', invocation.option)
  if (provided !== undefined && !form.test(provided))
    throw usage('this is not a signing secret', 'signing secrets start with whsec_')
  if (provided !== undefined) return provided
  const made = `whsec_${process.getBuiltinModule('node:crypto').randomBytes(32).toString('base64')}`
  note(`signing with ${made}, which is shown only once`)
  return made
}

async function forwarder(client: Client, url: URL, secret: string) {
  const server = await serverName(client)
  return (event: FeedEvent, signal: AbortSignal): Promise<Taken> => {
    const { headers, body } = deliveryOf(event, server, secret)
    return post(url, headers, body, signal)
  }
}

interface Printer {
  sent(event: FeedEvent): void
  taken(event: FeedEvent, taken: Taken, milliseconds: number): void
}

/** `--> account.suspended 01K… alice`, `<-- 204 account.suspended 12 ms`; with JSON one line at the end. */
async function printer({ globals }: Invocation): Promise<Printer> {
  if (globals.output === 'json' || globals.output === 'jsonl') return jsonPrinter
  const paint = await paintFor(process.stdout)
  const time = (): string => paint('dim', clockTime(Date.now()))
  return {
    sent: ({ type, id }) => data(`${time()} --> ${oneLine(type)} ${oneLine(id)}\n`),
    taken: ({ type }, { status, error }, milliseconds) => {
      const good = status !== undefined && status >= 200 && status < 300
      const outcome = paint(good ? 'green' : 'red', String(status ?? error))
      data(`${time()} <-- ${outcome} ${oneLine(type)} ${milliseconds} ms\n`)
    },
  }
}

const jsonPrinter: Printer = {
  sent: () => undefined,
  taken: ({ seq, id, type }, taken, duration_ms) =>
    data(`${JSON.stringify({ seq, event_id: id, event_type: type, ...taken, duration_ms })}\n`),
}
