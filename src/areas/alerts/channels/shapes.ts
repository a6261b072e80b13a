import type { ChannelShape } from '../../../contract/alerts.ts'
import { deliveryHeaders } from '../../../shared/signature.ts'
import { commandsOf } from '../../notices/commands.ts'
import type { Message } from '../message.ts'
import type { Address } from './address.ts'

/** A request in the shape of its receiver. */
export interface ShapedRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

const MAX_LENGTH = 2000
const contentOf = ({ title, text }: Message): string => [...`${title}\n${text}`].slice(0, MAX_LENGTH).join('')

/** Slack reads these three as markup. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const below = (url: string, path: string): string => `${url.replace(/\/+$/, '')}/${path}`

const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Panel-Alerts/1' }

type Shaped = (address: Address, message: Message) => { url: string; body: object }

const shapes: Readonly<Record<Exclude<ChannelShape, 'json'>, Shaped>> = {
  slack: ({ url }, message) => ({
    url,
    body: { text: escaped(contentOf(message)), mrkdwn: false, unfurl_links: false, unfurl_media: false },
  }),
  mattermost: ({ url }, message) => ({ url, body: { text: contentOf(message) } }),
  // Flag 4 shows no previews of links.
  discord: ({ url }, message) => ({
    url,
    body: { content: contentOf(message), allowed_mentions: { parse: [] }, flags: 4 },
  }),
  ntfy: ({ url, topic }, { title, text, isError }) => ({
    url: below(url, ''),
    body: { topic, title, message: text, priority: isError ? 4 : 3 },
  }),
  telegram: ({ url, token, chat }, message) => ({
    url: below(url, `bot${token}/sendMessage`),
    body: { chat_id: chat, text: contentOf(message), link_preview_options: { is_disabled: true } },
  }),
}

export function shapedRequest(
  shape: ChannelShape,
  address: Address,
  message: Message,
  signing: { readonly secret: string; readonly number: number; readonly now: number },
): ShapedRequest {
  if (shape === 'json') return signedRequest(address, message, signing)
  const { url, body } = shapes[shape](address, message)
  return { url, headers, body: JSON.stringify(body) }
}

function signedRequest(
  { url }: Address,
  message: Message,
  { secret, number, now }: { secret: string; number: number; now: number },
): ShapedRequest {
  const { id, at, server, title, text } = message
  const type = message.alerts.length === 0 ? 'alert.test' : 'alert'
  const alerts = message.alerts.map(({ alert, what }) => ({
    what: alert.state === 'ended' ? 'ended' : what,
    id: alert.id,
    kind: alert.kind,
    severity: alert.severity,
    object: alert.object,
    object_id: alert.object_id,
    name: alert.name,
    detail: alert.detail,
    since: alert.since,
    ...(alert.account_id !== null && { account_id: alert.account_id }),
    ...(alert.username !== null && { username: alert.username }),
    ...commandsOf(alert),
  }))
  const body = JSON.stringify({ id, type, at, server, title, text, alerts })
  const timestamp = Math.floor(now / 1000)
  return { url, headers: deliveryHeaders({ secret }, { event: id, type, number, timestamp, body }), body }
}
