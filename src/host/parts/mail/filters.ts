import {
  complete,
  depending,
  listOf,
  type Output,
  object,
  oneOf,
  optional,
  patterns,
  text,
  yesOrNo,
} from '../../contract/fields.ts'
import { quoted } from './sieve-text.ts'

type Condition = Output<typeof condition>
type Action = Output<typeof action>
export type Filter = Output<typeof filter>

const MAX_MESSAGE_BYTES = 1_000_000_000

const headers = { from: ['From'], to: ['To', 'Cc'], subject: ['Subject'], list: ['List-Id'] } as const
const flags = { read: '\\Seen', flagged: '\\Flagged' } as const

function conditionText({ field, name, test, value }: Condition): string {
  if (field === 'size') return `size :${test} ${value}`
  const names = field === 'header' ? [name!] : headers[field]
  const parts = field === 'from' || field === 'to' ? 'address :all' : 'header'
  return `${parts} :${test} [${names.map(quoted).join(',')}] ${quoted(String(value))}`
}

/** Maildir separates folders by dots. */
const folderText = (folder: string): string => quoted(folder.replaceAll('/', '.'))

function actionText({ action, folder, address, as = 'read' }: Action): string {
  switch (action) {
    case 'move':
      return `fileinto :create ${folderText(folder!)};`
    case 'copy':
      return `fileinto :copy :create ${folderText(folder!)};`
    case 'forward':
      return `redirect :copy ${quoted(address!)};`
    case 'mark':
      return `addflag ${quoted(flags[as])};`
    default:
      return `${action};`
  }
}

/** A copy that is filed has the marks that were set before it. */
const marksFirst = (actions: readonly Action[]): Action[] =>
  actions.toSorted((a, b) => Number(b.action === 'mark') - Number(a.action === 'mark'))

function filterText({ match, conditions, actions, stop }: Filter): string {
  const tests = `${match}of (${conditions.map(conditionText).join(', ')})`
  return [`if ${tests} {`, ...marksFirst(actions).map(actionText), ...(stop ? ['stop;'] : []), '}\n'].join('\n')
}

const extensionOf = { move: ['fileinto', 'mailbox'], copy: ['copy', 'fileinto', 'mailbox'], forward: ['copy'] } as const

function extensionsOf({ action }: Action): readonly string[] {
  if (action === 'mark') return ['imap4flags']
  return action in extensionOf ? extensionOf[action as keyof typeof extensionOf] : []
}

/** What the rules say in Sieve, and the extensions that it needs. */
export const filtersScript = (filters: readonly Filter[]): { requires: string[]; body: string } => ({
  requires: filters.flatMap(({ actions }) => actions.flatMap(extensionsOf)),
  body: filters.map(filterText).join(''),
})

const line = /^[^\p{Cc}\p{Cs}]{1,255}$/u
const headerName = /^[!-9;-~]{1,76}$/
const folder = /^(?![/.~])(?!.*[/.]{2})[^\p{Cc}\p{Cs}"*%\\]+(?<![/.])$/u

const condition = object(
  {
    field: oneOf('from', 'to', 'subject', 'list', 'header', 'size'),
    name: optional(text(headerName)),
    test: oneOf('is', 'contains', 'matches', 'over', 'under'),
    value: depending<string | number>((value) =>
      typeof value === 'number' ? complete(0, MAX_MESSAGE_BYTES) : text(line),
    ),
  },
  'a condition',
)

const action = object(
  {
    action: oneOf('move', 'copy', 'forward', 'mark', 'discard', 'keep'),
    folder: optional(text(folder)),
    address: optional(text(patterns.email)),
    as: optional(oneOf('read', 'flagged')),
  },
  'an action',
)

/** A rule for what arrives; its name stands in the panel alone. A header has a `name`; a size has a number of bytes. */
export const filter = object(
  { match: oneOf('all', 'any'), conditions: listOf(condition, 20), actions: listOf(action, 10), stop: yesOrNo },
  'a filter',
)
