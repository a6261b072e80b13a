import { at } from '../output/cells.ts'
import type { Client, Request } from '../request/client.ts'
import { planOf } from '../request/plan.ts'
import { columnsOf, type Operation, table } from '../table.ts'
import { data, escaped, note } from '../terminal.ts'

/** Says on a terminal what a request would do; an update is compared with what there is. */
export async function explainPlan(operation: Operation, client: Client, request: Request): Promise<void> {
  const body = fieldsOf(request.body)
  const current =
    body.length > 0 && operation.method !== 'POST' ? await currentOf(operation, client, request) : undefined
  const lines = current === undefined ? sendingLines(request, body) : changeLines(operation, body, current)
  const further = previews[operation.id]
  data(`${lines.map(escaped).join('\n')}\nNothing was sent.\n`)
  if (further) note(further)
}

/** What says more about a request than its fields. */
const previews: Readonly<Record<string, string>> = {
  importDnsZone: 'to see which records would change: panel dns compare ZONE FILE',
}

const sendingLines = (request: Request, body: readonly FlatField[]): string[] => {
  const { method, path, query = {} } = planOf(request) as { method: string; path: string; query?: object }
  const parts = [...fieldsOf(query), ...body]
  return [`would send ${method} ${path}`, ...parts.map(([name, value]) => `  ${name}: ${textOf(value)}`)]
}

const changeLines = (operation: Operation, body: readonly FlatField[], current: unknown): string[] =>
  body.map(([name, value]) => {
    const kind = columnsOf(operation).find(({ field }) => field === name)?.kind
    const [was, is] = [at(current, name), value].map((one) => textOf(one, kind === 'limit' ? 'unlimited' : 'none'))
    return was === is ? `would leave ${name} at ${is}` : `would change ${name} from ${was} to ${is}`
  })

/** The object that a change would change; undefined if it cannot be read. */
async function currentOf({ path, show }: Operation, client: Client, request: Request): Promise<unknown> {
  const read = Object.values(table.operations).find((one) => one.method === 'GET' && one.path === path)
  if (!read) return undefined
  try {
    const { body } = await client.call({ method: 'GET', path: request.path })
    return (show && at(body, show)) ?? body
  } catch {
    return undefined
  }
}

type FlatField = readonly [name: string, value: unknown]

/** Fields by dotted name. */
function fieldsOf(value: unknown, prefix = ''): FlatField[] {
  return Object.entries((value ?? {}) as object).flatMap(([key, part]: FlatField): FlatField[] => {
    const isObject = typeof part === 'object' && part !== null && !Array.isArray(part)
    return isObject ? fieldsOf(part, `${prefix}${key}.`) : [[prefix + key, part]]
  })
}

function textOf(value: unknown, absent = 'none'): string {
  if (value === null || value === undefined || value === '') return absent
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ') || absent
  if (typeof value === 'object') return JSON.stringify(value)
  const lines = String(value).trimEnd().split('\n').length
  return lines > 1 ? `${lines} lines` : String(value)
}
