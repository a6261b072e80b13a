import { type OperationId, operations } from '../../contract/index.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { type CommandCall, type CommandText, type Origin, sayCurl, sayPanel } from '../../shared/command-line.ts'
import { memoize } from '../../shared/memoize.ts'
import { formSchema, refsOf, secretsOf } from '../forms/model/schema.ts'
import { filledFields, inputOf, itemIn, membersFor, type TypedForm, untouched } from '../forms/operation-form.ts'
import { preferencesOf } from '../http/preferences.ts'
import { actionsOf } from '../kit/actions.ts'
import { CommandBar, type Needs } from '../kit/components/command-bar.tsx'
import { hrefTo } from '../kit/format/href.ts'
import { NOTICE_PARAMETERS } from '../kit/format/query.ts'
import { valueAtFirst } from '../kit/pages/form-page.tsx'
import type { ViewContext } from '../kit/screen.ts'
import { askOfPage, type PageRequest, paramsFor, pathOf } from '../pages/page-request.ts'
import { mayRun, needsOf, scopesOf } from '../pages/permissions.ts'
import { namedFor, paramsOf } from '../pages/resolve-ids.ts'
import { commandTable } from './command-table.ts'

/** What is or was typed into an operation's form. */
export interface FormDraft extends TypedForm {
  /** The names of the rows, if there are several. */
  readonly many?: readonly string[] | undefined
}

/** The equivalent command, and what it needs. */
export interface CommandHint {
  readonly needs: Needs
  readonly panel?: CommandText | undefined
  readonly curl?: CommandText | undefined
}

/** The form that the page's address describes. */
export function draftIn({ query, match }: PageRequest): FormDraft | undefined {
  const op = query.get('do')
  return op !== null && Object.hasOwn(match.screen.acts ?? {}, op) ? { op: op as OperationId, form: query } : undefined
}

/** The page, or its form, as a command; after a change, the command that was run. */
export async function commandBar(page: PageRequest, draft = draftIn(page), ran?: CommandHint, view?: ViewContext) {
  const format = page.query.get('say') ?? preferencesOf(page.request.c).say
  if (format === 'none') return <></>
  const hint = (!draft && ran) || (await commandHintOf(page, draft, view))
  const { panel, curl, needs } = hint
  const isCurl = format === 'curl' && curl !== undefined
  const command = isCurl || !panel ? curl : panel
  const formatLinks = links(page, draft, hint)
  return <CommandBar command={command} needs={needs} format={command === panel ? 'panel' : 'curl'} {...formatLinks} />
}

export async function commandHintOf(
  page: PageRequest,
  draft: FormDraft | undefined,
  view?: ViewContext,
): Promise<CommandHint> {
  const { request, context } = page
  const command = await commandOf(page, draft, view)
  const { origin } = request.screens
  const makesTokens = mayRun(makingTokens[request.panel], request.session, context.features)
  const makeHint = () => hintFor(command, request.panel, origin, makesTokens)
  // Typed values may contain secrets, so they are not cached.
  return draft ? makeHint() : memoize(knownReads, JSON.stringify([command, origin, makesTokens]), makeHint)
}

const knownReads = new Map<string, CommandHint>()

function hintFor(command: CommandCall, panel: PanelName, origin: Origin, makesTokens: boolean): CommandHint {
  const needs = needsOf(operations[command.operation as OperationId], panel)
  const isOne = (command.many?.length ?? 1) === 1
  return {
    needs: { ...needs, ...(makesTokens && tokenFor(needs, panel)) },
    panel: sayPanel(commandTable(), command),
    ...(!needs.session && isOne && { curl: sayCurl(commandTable(), command, origin) }),
  }
}

const makingTokens = { admin: 'createToken', user: 'createTokenForAccount' } as const

/** The form for a token with the minimal permissions. */
function tokenFor(needs: Needs, panel: PanelName): { href?: string } {
  const scopes = scopesOf(needs)
  if (needs.session || scopes === undefined) return {}
  return { href: hrefTo(`/${panel}`, '/tokens/new', {}, { do: makingTokens[panel], scopes, expires_in: '90d' }) }
}

/** Links to the other form of the command, and to the file that it needs. */
function links(page: PageRequest, draft: FormDraft | undefined, { panel, curl }: CommandHint) {
  const all = withoutSecrets(page, draft)
  const isLong = all.toString().length > MAX_QUERY_LENGTH
  const typed = isLong ? new URLSearchParams() : all
  const at = (say: string): string => `${pathOf(page.request)}?${withSay(typed, say)}`
  return {
    ...(panel && { panelHref: at('panel') }),
    ...(curl && { curlHref: at('curl') }),
    ...(panel?.data !== undefined && (isLong && draft ? { dataForm: draft.op } : { dataHref: at('data') })),
  }
}

const MAX_QUERY_LENGTH = 8_000

const ofTheForm = ['csrf_token', '_key', '_password', '_yes']

/** What an address may contain of what was typed, here or in a submitted form: never a secret. */
function withoutSecrets({ query, match }: PageRequest, draft: FormDraft | undefined): URLSearchParams {
  const all = new URLSearchParams(draft?.form ?? query)
  if (draft) all.set('do', draft.op)
  if (all.size === 0) return all
  const secrets = actionsOf(match.screen).flatMap((op) => [
    ...secretsOf(formSchema(op, commandTable())),
    ...(match.screen.acts?.[op]?.secrets ?? []),
  ])
  const isHidden = (name: string) =>
    [...ofTheForm, ...(draft ? NOTICE_PARAMETERS : []), ...secrets].some(
      (one) => name === one || name.startsWith(`${one}.`),
    )
  for (const name of [...all.keys()].filter(isHidden)) all.delete(name)
  return all
}

function withSay(typed: URLSearchParams, say: string): URLSearchParams {
  const all = new URLSearchParams(typed)
  all.set('say', say)
  return all
}

/** `changes.json` of what was typed; it is not stored. */
export async function changesOf(page: PageRequest, draft = draftIn(page)): Promise<string | undefined> {
  return draft && sayPanel(commandTable(), await commandOf(page, draft))?.data
}

async function commandOf(page: PageRequest, draft: FormDraft | undefined, view?: ViewContext): Promise<CommandCall> {
  const op = draft?.op ?? readOf(page)
  const item = draft && itemIn(draft.form)
  const common = { operation: op, panel: page.request.panel, params: withParams(paramsFor(page, op, item)) }
  const names = { ...namesFor(page, op, item), ...(draft ? {} : queryNames(page)) }
  if (!draft && operations[op].method === 'get')
    return { ...common, names, query: askOfPage(page, op).query, ...followsIn(page) }
  const { request, context } = page
  const form = draft?.form ?? (await untouched(request, op, context.accountId, view && valueAtFirst(view)))
  const { query, ...typedInput } = await inputOf(request, op, form, context.accountId, (typed) =>
    inputIn(page, { op, form }, typed),
  )
  const { toBody, secrets } = (draft && page.match.screen.acts?.[op]) ?? {}
  const body = toBody ? toBody(masked(form, secrets)) : typedInput.body
  const members = await memberNames(page, op, body)
  return { ...common, names: { ...names, ...members }, query, body, ...(draft?.many && { many: draft.many }) }
}

function masked(form: URLSearchParams, secrets: readonly string[] = []): URLSearchParams {
  const visible = new URLSearchParams(form)
  for (const name of secrets) if (visible.get(name)) visible.set(name, 'PASSWORD')
  return visible
}

/** What a form sends to its operation, as far as it is filled in; a staging form is always complete. */
function inputIn({ match }: PageRequest, draft: TypedForm, typed: Record<string, unknown>) {
  const { rows, staging: stages } = match.screen.acts?.[draft.op] ?? {}
  const items = draft.form.getAll('_item')
  if (rows && items.length > 0) return rows.input(rows.together ? items : items.slice(0, 1), typed)
  return stages ? typed : filledFields(draft, typed)
}

function readOf({ request, context, match: { screen } }: PageRequest): OperationId {
  const { says, shows } = screen
  return says && mayRun(says, request.session, context.features) ? says : shows
}

/** The command for a live log follows it too. */
const followsIn = ({ match }: PageRequest): Partial<CommandCall> =>
  match.screen.since === 'cursor' ? { follow: true } : {}

/** The names in the address, as path parameters. */
function namesFor({ match, context, request }: PageRequest, op: OperationId, item: string | undefined) {
  const account = context.account?.username ?? match.account ?? request.session.username
  return withParams(paramsOf(op, namedFor(match.screen, op, Object.values(match.names), item), account))
}

/** A page for creating something has no name yet. */
const withParams = (params: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(params).filter(([, text]) => text !== ''))

/** The names in the address that the operation takes as query parameters. */
function queryNames({ match: { screen, names } }: PageRequest): Record<string, string> {
  const requested = Object.entries(screen.query ?? {})
  return withParams(Object.fromEntries(requested.map(([field, value]) => [field, names[value.slice(1, -1)] ?? ''])))
}

/** The names of the objects that the form references, if they are among the options. */
async function memberNames(page: PageRequest, op: OperationId, body: Record<string, unknown> | undefined) {
  const { request, context } = page
  const members = await membersFor(request, [op], context.accountId)
  const refs = refsOf(formSchema(op, commandTable()))
  const named = refs.map(({ name, collection }) => {
    const label = members[collection]?.find(({ value }) => value === body?.[name])?.label
    return [name, label] as const
  })
  return Object.fromEntries(named.filter((pair): pair is readonly [string, string] => pair[1] !== undefined))
}
