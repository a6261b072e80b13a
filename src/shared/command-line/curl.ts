import type { Field, Operation, Table } from '../commands.ts'
import { at, put } from '../dotted-keys.ts'
import { type CommandCall, type CommandText, rowOf } from './call.ts'
import { visibleJson } from './quote.ts'

/** A request to show as a curl command. */
export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly body?: unknown
  /** It needs a token. */
  readonly token?: boolean
  readonly socket?: string
  readonly ca?: string
  /** SHA-256 of the public key, in hexadecimal. */
  readonly pin?: string
  readonly raw?: 'body' | 'answer'
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** curl expects pins in base64. */
const pinOf = (pin: string): string => `sha256//${Buffer.from(pin.replace(/^sha256:/, ''), 'hex').toString('base64')}`

/** The curl command. The token stays in the environment, so that it is not copied along; a session needs one too. */
export function curlLine({ method, url, body, token, socket, ca, pin, raw }: CurlRequest): string {
  const parts = [
    'curl',
    ...(socket ? ['--unix-socket', inQuotes(socket)] : []),
    ...(ca ? ['--cacert', inQuotes(ca)] : []),
    ...(method === 'GET' ? [] : ['-X', method]),
    ...(pin ? ['--insecure', '--pinnedpubkey', inQuotes(pinOf(pin))] : []),
    ...(token ? ['-H', '"Authorization: Bearer $PANEL_TOKEN"'] : []),
    ...(body === undefined
      ? []
      : ['-H', inQuotes('Content-Type: application/json'), '--data', inQuotes(visibleJson(body))]),
    ...(raw === 'body' ? ['-H', inQuotes('Content-Type: application/octet-stream'), '--data-binary', '@FILE'] : []),
    ...(raw === 'answer' ? ['--output', 'FILE'] : []),
    inQuotes(url),
  ]
  return parts.join(' ')
}

/** The server that requests go to. */
export interface Origin {
  /** `https://host.example:7711` */
  readonly origin: string
  /** The pin of a self-signed certificate. */
  readonly pin?: string
}

/** A screen's request as a curl command, with ids and without secrets. */
export function sayCurl(table: Table, call: CommandCall, { origin, pin }: Origin): CommandText {
  const { row } = rowOf(table, call.operation)
  const { body, isMasked } = masked(row.fields, call.body)
  const hasBody = row.hasBody && body && (row.method !== 'POST' || Object.keys(body).length > 0)
  const line = curlLine({
    method: row.method,
    url: `${origin}/api/v1${filled(row, call.params ?? {})}${searchOf(call.query ?? {})}`,
    ...(hasBody && { body }),
    token: true,
    ...(pin && { pin }),
    ...(row.raw && { raw: row.raw }),
  })
  const isComplete = row.fields.every(({ place, name }) => place !== 'path' || call.params?.[name])
  return { line, copyable: true, complete: isComplete, ...(isMasked && { note: 'Replace PASSWORD.' }) }
}

const filled = ({ path }: Operation, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_complete, name: string) =>
    params[name] ? encodeURIComponent(wellFormed(params[name])) : name.toUpperCase(),
  )

const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd')

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size > 0 ? `?${search}` : ''
}

function masked(fields: readonly Field[], body: CommandCall['body']): { body: CommandCall['body']; isMasked: boolean } {
  if (!body) return { body, isMasked: false }
  const visible = structuredClone(body) as Record<string, unknown>
  const secrets = fields.filter(({ secret, name }) => secret && typeof at(body, name) === 'string')
  for (const { name } of secrets) put(visible, name, 'PASSWORD')
  return { body: visible, isMasked: secrets.length > 0 }
}
