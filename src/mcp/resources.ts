import { areas } from '../contract/areas.ts'
import { operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { callOperation } from './call.ts'
import { requestOf } from './input.ts'
import { reachable } from './operations.ts'
import { MAX_RESULT_BYTES, sizeOf, type ToolResult } from './result.ts'
import type { McpSession } from './session.ts'
import { lookUp } from './tools/find.ts'
import { lineOf } from './tools/search.ts'
import { wait } from './tools/wait.ts'
import { untrustedPaths, visibleJson } from './untrusted.ts'

const json = 'application/json'

/** Objects by name, and jobs by id. */
export const resourceTemplates = [
  { uriTemplate: 'panel://account/{name}', name: 'account', description: 'An account', mimeType: json },
  { uriTemplate: 'panel://domain/{name}', name: 'domain', description: 'A domain', mimeType: json },
  { uriTemplate: 'panel://mailbox/{address}', name: 'mailbox', description: 'A mailbox', mimeType: json },
  { uriTemplate: 'panel://job/{id}', name: 'job', description: 'A job and its last log lines', mimeType: json },
]

/** The documentation: what the operations of each area do. */
export const resourceList = Object.entries(areas).map(([area, description]) => ({
  uri: `panel://docs/${area}`,
  name: `docs: ${area}`,
  description,
  mimeType: 'text/markdown',
}))

const objects: Readonly<Record<string, { readonly op: Declaration; readonly param?: string }>> = {
  account: { op: operations.getAccount },
  domain: { op: operations.getDomain, param: 'did' },
  mailbox: { op: operations.getMailbox, param: 'mid' },
}

/** The content of a resource; undefined if there is none. */
export async function resourceAt(session: McpSession, uri: string) {
  const [, kind = '', encoded = ''] = /^panel:\/\/([a-z]+)\/([^/?#]{1,400})$/.exec(uri) ?? []
  const name = decoded(encoded)
  if (kind === 'docs') return documentation(session, uri, name)
  const result =
    kind === 'job' ? await wait(session, { job: name, seconds: 0 }) : await objectCalled(session, kind, name)
  return result && { contents: [{ uri, mimeType: json, text: visibleJson(result) }] }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

async function objectCalled(session: McpSession, kind: string, name: string): Promise<ToolResult | undefined> {
  const object = objects[kind]
  if (!object || name === '') return undefined
  const found = (await lookUp(session, { name, kind })).find((one) => one.kind === kind)
  if (!found) return undefined
  const { op, param } = object
  const input = param ? { id: found.account_id, [param]: found.id } : { id: found.id }
  const answer = await callOperation(session, op, requestOf(op, input, session))
  if (sizeOf(answer) > MAX_RESULT_BYTES) return undefined
  return { answer, untrusted: untrustedPaths(answer, op.answer, 'answer') }
}

function documentation(session: McpSession, uri: string, area: string) {
  if (!Object.hasOwn(areas, area)) return undefined
  const own = reachable(session).filter((op) => op.area === area)
  const lines = own.map((op) => `- \`${op.id}\`: ${lineOf(op)}`)
  const text = [`# ${area}`, '', areas[area as keyof typeof areas], '', ...lines, ''].join('\n')
  return { contents: [{ uri, mimeType: 'text/markdown', text }] }
}
