import { type OperationId, operations } from '../contract/index.ts'
import type { PanelName } from '../contract/sessions.ts'
import { recall } from '../shared/recall.ts'
import { type Origin, type Said, type Spoken, sayCurl, sayPanel } from '../shared/say.ts'
import { commandTable } from './commands.ts'
import { formSchema, refsOf, secretsOf } from './form/schema.ts'
import { givenSoFar, inputOf, itemIn, membersFor, type Typed, untouched } from './forms.ts'
import { actsOf } from './kit/acts.ts'
import { hrefTo } from './kit/href.ts'
import { ofThePast } from './kit/query.ts'
import { type Needs, SayBar } from './kit/say.tsx'
import { askOfPage, type Looking, paramsFor, pathOf } from './looking.ts'
import { namedFor, paramsOf } from './names.ts'
import { needsOf, scopeOf } from './needs.ts'
import { preferencesOf } from './preferences.ts'
import { mayRun } from './rights.ts'

/** What is or was typed into an operation's form. */
export interface Typing extends Typed {
  /** The names of the rows, if there are several. */
  readonly many?: readonly string[] | undefined
}

/** The equivalent command, and what it needs. */
export interface Told {
  readonly needs: Needs
  readonly panel?: Said | undefined
  readonly curl?: Said | undefined
}

/** The form that the page's address describes. */
export function typingIn({ query, place }: Looking): Typing | undefined {
  const op = query.get('do')
  return op !== null && Object.hasOwn(place.screen.acts ?? {}, op) ? { op: op as OperationId, form: query } : undefined
}

/** The page, or its form, as a command; after a change, the command that was run. */
export async function sayBar(looking: Looking, typing = typingIn(looking), ran?: Told) {
  const way = looking.query.get('say') ?? preferencesOf(looking.served.c).say
  if (way === 'none') return <></>
  const told = (!typing && ran) || (await toldOf(looking, typing))
  const { panel, curl, needs } = told
  const isCurl = way === 'curl' && curl !== undefined
  const said = isCurl || !panel ? curl : panel
  const ways = links(looking, typing, told)
  return <SayBar said={said} needs={needs} shown={said === panel ? 'panel' : 'curl'} {...ways} />
}

export async function toldOf(looking: Looking, typing: Typing | undefined): Promise<Told> {
  const { served, around } = looking
  const spoken = await spokenOf(looking, typing)
  const { origin } = served.screens
  const makesTokens = mayRun(makingTokens[served.panel], served.session, around.features)
  const tell = () => toldFor(spoken, served.panel, origin, makesTokens)
  // Typed values may contain secrets, so they are not cached.
  return typing ? tell() : recall(knownReads, JSON.stringify([spoken, origin, makesTokens]), tell)
}

const knownReads = new Map<string, Told>()

function toldFor(spoken: Spoken, panel: PanelName, origin: Origin, makesTokens: boolean): Told {
  const needs = needsOf(operations[spoken.operation as OperationId], panel)
  const isOne = (spoken.many?.length ?? 1) === 1
  return {
    needs: { ...needs, ...(makesTokens && tokenFor(needs, panel)) },
    panel: sayPanel(commandTable(), spoken),
    ...(!needs.session && isOne && { curl: sayCurl(commandTable(), spoken, origin) }),
  }
}

const makingTokens = { admin: 'createToken', user: 'createTokenForAccount' } as const

/** The form for a token with the minimal permissions. */
function tokenFor(needs: Needs, panel: PanelName): { href?: string } {
  const scopes = scopeOf(needs)
  if (needs.session || scopes === undefined) return {}
  return { href: hrefTo(`/${panel}`, '/tokens/new', {}, { do: makingTokens[panel], scopes, expires_in: '90d' }) }
}

/** Links to the other form of the command, and to the file that it needs. */
function links(looking: Looking, typing: Typing | undefined, { panel, curl }: Told) {
  const all = tellable(looking, typing)
  const isLong = all.toString().length > longestQuery
  const typed = isLong ? new URLSearchParams() : all
  const at = (say: string): string => `${pathOf(looking.served)}?${withSay(typed, say)}`
  return {
    ...(panel && { panelHref: at('panel') }),
    ...(curl && { curlHref: at('curl') }),
    ...(panel?.data !== undefined && (isLong && typing ? { dataForm: typing.op } : { dataHref: at('data') })),
  }
}

const longestQuery = 8_000

const ofTheForm = ['csrf_token', '_key', '_password', '_yes']

/** What an address may contain of what was typed, here or in a submitted form: never a secret. */
function tellable({ query, place }: Looking, typing: Typing | undefined): URLSearchParams {
  const all = new URLSearchParams(typing?.form ?? query)
  if (typing) all.set('do', typing.op)
  if (all.size === 0) return all
  const secrets = actsOf(place.screen).flatMap((op) => secretsOf(formSchema(op, commandTable())))
  const isHidden = (name: string) =>
    [...ofTheForm, ...(typing ? ofThePast : []), ...secrets].some((one) => name === one || name.startsWith(`${one}.`))
  for (const name of [...all.keys()].filter(isHidden)) all.delete(name)
  return all
}

function withSay(typed: URLSearchParams, say: string): URLSearchParams {
  const all = new URLSearchParams(typed)
  all.set('say', say)
  return all
}

/** `changes.json` of what was typed; it is not stored. */
export async function changesOf(looking: Looking, typing = typingIn(looking)): Promise<string | undefined> {
  return typing && sayPanel(commandTable(), await spokenOf(looking, typing))?.data
}

async function spokenOf(looking: Looking, typing: Typing | undefined): Promise<Spoken> {
  const op = typing?.op ?? readOf(looking)
  const item = typing && itemIn(typing.form)
  const common = { operation: op, panel: looking.served.panel, params: given(paramsFor(looking, op, item)) }
  const names = { ...namesFor(looking, op, item), ...(typing ? {} : namesAsked(looking)) }
  if (!typing && operations[op].method === 'get')
    return { ...common, names, query: askOfPage(looking, op).query, ...followsIn(looking) }
  const { served, around } = looking
  const form = typing?.form ?? (await untouched(served, op, around.accountId))
  const { body, query } = await inputOf(served, op, form, around.accountId, (typed) =>
    toldIn(looking, { op, form }, typed),
  )
  const members = await memberNames(looking, op, body)
  return { ...common, names: { ...names, ...members }, query, body, ...(typing?.many && { many: typing.many }) }
}

/** What a form sends to its operation, as far as it is filled in; a staging form is always complete. */
function toldIn({ place }: Looking, typing: Typed, typed: Record<string, unknown>) {
  const { rows, stages } = place.screen.acts?.[typing.op] ?? {}
  const items = typing.form.getAll('_item')
  if (rows && items.length > 0) return rows.told(rows.together ? items : items.slice(0, 1), typed)
  return stages ? typed : givenSoFar(typing, typed)
}

function readOf({ served, around, place: { screen } }: Looking): OperationId {
  const { says, shows } = screen
  return says && mayRun(says, served.session, around.features) ? says : shows
}

/** The command for a live log follows it too. */
const followsIn = ({ place }: Looking): Partial<Spoken> => (place.screen.since === 'cursor' ? { follow: true } : {})

/** The names in the address, as path parameters. */
function namesFor({ place, around, served }: Looking, op: OperationId, item: string | undefined) {
  const account = around.account?.username ?? place.account ?? served.session.username
  return given(paramsOf(op, namedFor(place.screen, op, Object.values(place.names), item), account))
}

/** A page for creating something has no name yet. */
const given = (params: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(params).filter(([, text]) => text !== ''))

/** The names in the address that the operation takes as query parameters. */
function namesAsked({ place: { screen, names } }: Looking): Record<string, string> {
  const asked = Object.entries(screen.query ?? {})
  return given(Object.fromEntries(asked.map(([field, value]) => [field, names[value.slice(1, -1)] ?? ''])))
}

/** The names of the objects that the form references, if they are among the options. */
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
