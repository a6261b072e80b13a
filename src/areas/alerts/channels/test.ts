import type * as declared from '../../../contract/alerts.ts'
import type { Output } from '../../../contract/operation.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { queueMail } from '../../mailer/outbox.ts'
import { type Message, testMessage } from '../message.ts'
import { postMessage } from '../post.ts'
import { senderFor, shareFor } from '../sender.ts'
import type { ChannelRow } from '../tables.ts'

type Tested = Output<typeof declared.testAlertChannel>

const WAIT_MS = 10_000

/** Sends a test message and waits for the receiver, or for the mail server. */
export async function sendTest(ctx: Context, channel: ChannelRow, signal: AbortSignal): Promise<Tested> {
  const { runtime, now } = ctx
  if (!channel.verified)
    return { outcome: 'failed', answer: 'The address has not been confirmed by the link that was mailed to it.' }
  const message = testMessage({ id: runtime.id(), at: now, server: runtime.hostname }, channel.name)
  if (channel.type === 'mail') return mailed(ctx, channel, message)
  const { ok, answer } = await postMessage(runtime, channel, message, 1, signal)
  return { outcome: ok ? 'sent' : 'failed', answer }
}

async function mailed(ctx: Context, channel: ChannelRow, message: Message): Promise<Tested> {
  const { runtime, store } = ctx
  const mail = { to: channel.recipient!, ...senderFor(ctx, channel), subject: message.title, text: message.text }
  const id = await store.change(() => queueMail(ctx, mail, { lifetimeMs: WAIT_MS, share: shareFor(ctx.db, channel) }))
  return (await isTaken(runtime, id))
    ? { outcome: 'sent', answer: 'The mail server has taken it.' }
    : { outcome: 'failed', answer: 'The mail server did not take it within 10 seconds.' }
}

/** Whether the mail server takes a message in time. */
function isTaken({ signals, clock }: Runtime, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (taken: boolean): void => {
      cancel()
      signals.off('mailed', look)
      resolve(taken)
    }
    const look = (sent: string): void => {
      if (sent === id) end(true)
    }
    const cancel = clock.after(WAIT_MS, () => end(false))
    signals.on('mailed', look)
  })
}
