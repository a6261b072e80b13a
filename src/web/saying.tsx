import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { type Said, type Spoken, sayCurl, sayPanel } from '../shared/say.ts'
import { commandTable } from './commands.ts'
import { formSchema, refsOf, secretsOf } from './form/schema.ts'
import { actsOf, inputOf, membersFor } from './forms.ts'
import { SayBar } from './kit/say.tsx'
import { paramsOf } from './names.ts'
import { needsOf } from './needs.ts'
import { askOf, type Looking, pathOf } from './visit.ts'

/** What is typed into the form of an operation, or was. */
export interface Typing {
  readonly op: OperationId
  readonly form: URLSearchParams
}

/** The form that the address of a page speaks of. */
export function typingIn({ query, place }: Looking): Typing | undefined {
  const op = query.get('do')
  return op !== null && Object.hasOwn(place.screen.acts ?? {}, op) ? { op: op as OperationId, form: query } : undefined
}

/** The page, or the form on it, as a command. */
export async function sayBar(looking: Looking, typing = typingIn(looking)) {
  const spoken = await spokenOf(looking, typing)
  const declaration: Declaration = operations[spoken.operation as OperationId]
  const needs = needsOf(declaration, looking.served.panel)
  const panel = sayPanel(commandTable(), spoken)
  const curl = needs.session ? undefined : sayCurl(commandTable(), spoken, { origin: originOf(looking) })
  const isCurl = looking.query.get('say') === 'curl' && curl !== undefined
  const said = isCurl || !panel ? curl : panel
  if (!said) return null
  return (
    <SayBar
      said={said}
      needs={needs}
      shown={said === panel ? 'panel' : 'curl'}
      {...links(looking, typing, panel, curl)}
    />
  )
}

const originOf = ({ served }: Looking): string => `https://${new URL(served.c.req.url).host}`

/** The other way to say it, and the file that it needs. */
function links(looking: Looking, typing: Typing | undefined, panel: Said | undefined, curl: Said | undefined) {
  const all = tellable(looking, typing)
  const isLong = all.toString().length > longestQuery
  const typed = isLong ? new URLSearchParams() : all
  const at = (say: string): string => `${pathOf(looking.served)}?${withSay(typed, say)}`
  return {
    ...(panel && { panelHref: at('panel') }),
    ...(curl && { curlHref: at('curl') }),
    ...(panel?.data !== undefined && !isLong && { dataHref: at('data') }),
  }
}

const longestQuery = 8_000

const ofTheForm = ['csrf_token', '_key', '_password', '_yes', 'done', 'job', 'undo']

/** What an address may say of what was typed, in this one or in a form that was sent: never a secret. */
function tellable({ query, place }: Looking, typing: Typing | undefined): URLSearchParams {
  const all = new URLSearchParams(typing?.form ?? query)
  if (typing) all.set('do', typing.op)
  const secrets = actsOf(place.screen).flatMap((op) => secretsOf(formSchema(op, commandTable())))
  const isHidden = (name: string) =>
    [...ofTheForm, ...secrets].some((one) => name === one || name.startsWith(`${one}.`))
  for (const name of [...all.keys()].filter(isHidden)) all.delete(name)
  return all
}

function withSay(typed: URLSearchParams, say: string): URLSearchParams {
  const all = new URLSearchParams(typed)
  all.set('say', say)
  return all
}

/** `changes.json` of what the address says was typed; nothing is kept of it. */
export async function changesOf(looking: Looking): Promise<string | undefined> {
  const typing = typingIn(looking)
  return typing && sayPanel(commandTable(), await spokenOf(looking, typing))?.data
}

async function spokenOf(looking: Looking, typing: Typing | undefined): Promise<Spoken> {
  const op = typing?.op ?? looking.place.screen.shows
  const item = typing?.form.get('_item') ?? undefined
  const common = { operation: op, panel: looking.served.panel, params: paramsFor(looking, op, item) }
  if (!typing) return { ...common, names: namesFor(looking, op, item), ...readsOf(looking, op) }
  const { served, around } = looking
  const { rows } = looking.place.screen.acts?.[op] ?? {}
  const items = typing.form.getAll('_item')
  const told = (typed: Record<string, unknown>) =>
    rows && items.length > 0 ? rows.told(rows.together ? items : items.slice(0, 1), typed) : typed
  const { body, query } = await inputOf(served, op, typing.form, around.accountId, told)
  const names = { ...namesFor(looking, op, item), ...(await memberNames(looking, op, body)) }
  return { ...common, names, query, body }
}

/** A page of its own for a change begins with nothing typed. */
const readsOf = (looking: Looking, op: OperationId): Partial<Spoken> =>
  operations[op].method === 'get' ? { query: askOf(looking, op, looking.place.screen.query, true).query } : { body: {} }

function paramsFor({ ids, around }: Looking, op: OperationId, item: string | undefined) {
  const params = paramsOf(op, [...Object.values(ids), ...(item === undefined ? [] : [item])], around.accountId)
  return Object.fromEntries(Object.entries(params).filter(([, id]) => id !== ''))
}

/** What the address calls the objects that it names. */
function namesFor({ place, around, served }: Looking, op: OperationId, item: string | undefined) {
  const account = around.account?.username ?? place.account ?? served.session.username
  const names = paramsOf(op, [...Object.values(place.names), ...(item === undefined ? [] : [item])], account)
  return Object.fromEntries(Object.entries(names).filter(([, name]) => name !== ''))
}

/** What objects are called that the form refers to, where they can be chosen from. */
async function memberNames(looking: Looking, op: OperationId, body: Record<string, unknown> | undefined) {
  const { served, around } = looking
  const members = await membersFor(served, [op], around.accountId)
  const refs = refsOf(formSchema(op, commandTable()))
  const named = refs.map(({ name, collection }) => {
    const label = members[collection]?.find(({ value }) => value === body?.[name])?.label
    return [name, label] as const
  })
  return Object.fromEntries(named.filter((pair): pair is readonly [string, string] => pair[1] !== undefined))
}
