import { expect } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'

export interface Sent {
  readonly status: number
  readonly body: Json
  readonly headers: Headers
  readonly text: string
}

interface Options {
  readonly method?: string
  readonly query?: Record<string, string | number> | string
  readonly form?: Record<string, string>
  readonly json?: object
  readonly text?: string
  readonly authorization?: string
  readonly from?: string
  readonly path?: string
}

const base = 'https://host.example:2087'

/** Sends requests to the front like billing systems do. */
export class Front {
  readonly panel: TestPanel
  readonly token: string

  constructor(panel: TestPanel, token: string) {
    this.panel = panel
    this.token = token
  }

  async send(name: string, options: Options = {}): Promise<Sent> {
    const { query = {}, form, json, from = '192.0.2.1' } = options
    const search = typeof query === 'string' ? query : new URLSearchParams(query as Record<string, string>).toString()
    const body = options.text ?? (form ? new URLSearchParams(form).toString() : json && JSON.stringify(json))
    const authorization = options.authorization ?? `WHM root:${this.token}`
    const request = new Request(`${base}${options.path ?? `/json-api/${name}`}${search ? `?${search}` : ''}`, {
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: authorization === '' ? {} : { Authorization: authorization },
      ...(body === undefined ? {} : { body }),
    })
    const response = await this.panel.panel.whm.fetch(request, { address: from })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  /** A version 1 call that succeeds; returns its data. */
  async ok(name: string, query: Record<string, string> = {}): Promise<Json> {
    const { status, body } = await this.send(name, { query: { 'api.version': '1', ...query } })
    expect([status, body.metadata?.result], JSON.stringify(body)).toEqual([200, 1])
    expect(body.metadata).toMatchObject({ command: name, version: 1 })
    return body.data
  }

  /** A version 1 call that is refused; returns the reason. */
  async refused(name: string, query: Record<string, string> = {}): Promise<string> {
    const { status, body } = await this.send(name, { query: { 'api.version': '1', ...query } })
    expect([status, body.metadata?.result], JSON.stringify(body)).toEqual([200, 0])
    expect(body.data).toBeUndefined()
    return body.metadata.reason
  }
}

export const billing = ['accounts:write', 'packages:write']

export async function startFront(scopes: string[] = billing): Promise<Front> {
  const panel = await startPanel()
  const front = new Front(panel, await panel.token(scopes))
  panel.forget()
  return front
}
