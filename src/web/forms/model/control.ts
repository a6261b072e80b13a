import { isId, privileges } from '../../../contract/common.ts'
import { isTranslated } from '../../http/language.ts'
import type { Control, Option, TextControl } from '../../kit/forms/field.ts'
import { t } from '../../kit/i18n/i18n.ts'
import { optionLabel, unitOf, worded } from '../../kit/i18n/label.ts'
import { tongue } from '../../kit/i18n/value-words.ts'
import { lookupOwn } from '../../kit/lookup.ts'
import { type Leaf, nullText } from './leaf.ts'
import { isLimit, noneName, wasName } from './names.ts'
import { pairText } from './write.ts'

/** What a control needs to render its value. */
interface FieldContext {
  readonly form: URLSearchParams
  readonly name: string
  readonly sendsChanges: boolean
  readonly members?: Readonly<Record<string, readonly Option[]>>
}

const shortText = 200
const fewChoices = 4
const MAX_MEMBERS = 50

/** A leaf's control, with its current value. */
export function controlOf(leaf: Leaf, context: FieldContext): Control {
  const values = context.form.getAll(context.name)
  // Boxes and a text area together send a list.
  const value = leaf.kind === 'lines' ? values.filter((one) => one !== '').join('\n') : (values.at(-1) ?? '')
  switch (leaf.kind) {
    case 'flag':
      return flag(leaf, context, value)
    case 'choice':
      return choice(leaf, context, value)
    case 'checks':
      return {
        kind: 'checks',
        options: optionsOf(leaf, ''),
        values: context.form.getAll(context.name).filter((text) => text !== ''),
      }
    case 'lines':
      return { kind: 'area', value, machine: true, rows: rowsFor(value, 3), listed: true }
    case 'pairs':
      return { kind: 'area', value, machine: true, rows: rowsFor(value, 3), listed: true, examples: examplesOf(leaf) }
    case 'reference':
      return reference(leaf, context, value)
    case 'secret':
      return secret(leaf)
    default:
      return text(leaf, context, value)
  }
}

/** The contract's example, in the form that the field takes. */
const examplesOf = ({ schema }: Leaf): readonly string[] => Object.entries(schema.examples?.[0] ?? {}).map(pairText)

/** A checkbox if the meaning of leaving it empty is known; otherwise three options, with one for the default. */
function flag(leaf: Leaf, context: FieldContext, value: string): Control {
  const hasStandard = leaf.standard !== undefined && !context.sendsChanges
  const isKnown = leaf.required || hasStandard || Boolean(context.form.get(wasName(context.name)))
  if (isKnown) return { kind: 'check', checked: value === 'true' }
  const options = [
    { value: '', label: 'Default' },
    { value: 'true', label: 'Yes' },
    { value: 'false', label: 'No' },
  ]
  return { kind: 'choice', as: 'radios', options, value }
}

const FLAG_LABELS: Readonly<Record<string, string>> = { true: 'Yes', false: 'No', [nullText]: 'None' }

/** A null beside other choices puts back the default. */
function nullLabel({ choices = [], description, standard }: Leaf): string {
  if (choices.length < 2) return 'None'
  const [, named] = /\((true|false)\)$/.exec(description) ?? []
  const value = standard === undefined ? named : String(standard)
  return value === 'true' ? 'Default: yes' : value === 'false' ? 'Default: no' : 'Default'
}

const labelFor = (name: string, text: string): string =>
  lookupOwn(FLAG_LABELS, text) ?? (name === 'acl' ? lookupOwn(privileges, text) : undefined) ?? optionLabel(text, name)

/** The headings of privileges, each above the first of its kind, in the order of the contract. */
const groups: readonly (readonly [RegExp, string])[] = [
  [/^all$/, 'Everything'],
  [/pkg|viewglobal|^allow-/, 'Packages'],
  [/dns|^edit-mx$/, 'DNS'],
  [/^ssl/, 'Certificates'],
  [/^(mysql-info|file-restore|manage-api-tokens|status|stats|restart)$/, 'More'],
]
const groupOf = (privilege: string): string => groups.find(([names]) => names.test(privilege))?.[1] ?? 'Accounts'

/** The languages with translations, and the current one. */
function optionsOf(leaf: Leaf, now: string): Option[] {
  const { name, choices = [] } = leaf
  const isOffered = (locale: string): boolean => locale === now || isTranslated(locale)
  if (name === 'locale')
    return choices
      .filter(({ text }) => isOffered(text))
      .map(({ text }) => ({ value: text, label: tongue(text), named: true }))
  return choices.map((one) => ({
    value: one.text,
    label: one.means === null ? nullLabel(leaf) : labelFor(name, one.text),
    ...(name === 'acl' && { group: groupOf(one.text) }),
  }))
}

/** Fields without which there is none; without others there is a default. */
const hasNone: ReadonlySet<string> = new Set(['app_id', 'domain_id', 'ip6_id', 'service'])

/** A state that no one can choose, such as down, stays what it is. */
function choice(leaf: Leaf, context: FieldContext, value: string): Control {
  const standard = context.sendsChanges || leaf.standard === undefined ? '' : String(leaf.standard)
  const isKnown = Boolean(context.form.get(wasName(context.name))) || standard !== ''
  const isOpen = !leaf.required && (!isKnown || (leaf.orFields === true && !context.sendsChanges))
  const open = { value: '', label: leaf.orFields ? 'Chosen below' : hasNone.has(leaf.name) ? 'None' : 'Default' }
  const offered = optionsOf(leaf, value)
  const isOther = value !== '' && !offered.some((one) => one.value === value)
  const other = { value, label: labelFor(leaf.name, value) }
  const options = [...(isOpen ? [open] : []), ...(isOther ? [other] : []), ...offered]
  return { kind: 'choice', as: options.length <= fewChoices ? 'radios' : 'select', options, value: value || standard }
}

/** A select for a few options; a text field for more. */
function reference(leaf: Leaf, { members = {} }: FieldContext, value: string): Control {
  const known = members[leaf.collection ?? ''] ?? []
  const called = known.find((one) => one.value === value)?.label ?? value
  if (known.length === 0 || known.length > MAX_MEMBERS)
    return {
      kind: 'text',
      type: 'text',
      value: called,
      machine: true,
      ...(known.length > 0 && { offers: known.slice(0, MAX_MEMBERS) }),
    }
  const none = leaf.required ? [] : [{ value: '', label: leaf.nullable || hasNone.has(leaf.name) ? 'None' : 'Default' }]
  return { kind: 'choice', as: 'select', options: [...none, ...withTyped(known, value)], value }
}

/** Shows a typed value even if it is not among the options. */
const withTyped = (known: readonly Option[], value: string): readonly Option[] =>
  value === '' || known.some((one) => one.value === value)
    ? known
    : [...known, { value, label: isId(value) ? t('The one it has now') : value }]

const secret = ({ name, schema }: Leaf): Control => ({
  kind: 'secret',
  autocomplete: /^(password|new_password|git_password)$/.test(name) ? 'new-password' : 'current-password',
  generate: /^(password|new_password)$/.test(name),
  ...(schema.maxLength !== undefined && { maxlength: schema.maxLength }),
  ...((schema.maxLength ?? 0) > 1024 && isProse(name) && { lines: true as const }),
})

function text(leaf: Leaf, context: FieldContext, value: string): Control {
  const { schema, name } = leaf
  const isLong = (schema.maxLength ?? 0) > shortText || schema.multiline === true
  if (leaf.kind === 'text' && (value.includes('\n') || (isLong && isProse(name))))
    return {
      kind: 'area',
      value,
      machine: !isCommand(name),
      rows: rowsFor(value, 4),
      ...(schema.maxLength !== undefined && { maxlength: schema.maxLength }),
    }
  return line(leaf, context, value)
}

/** Long by the protocol's bounds, but single-line: names, paths, addresses. */
const oneLine =
  /(^|[._])(path|bytes|to|from|url|host|hostname|domain|name|names|address|email|root|directory|target|goto|destination|schedule|username|git_username|endpoint|prefix|login|40[134]|410|50x)$/
const isProse = (name: string): boolean => !oneLine.test(name)

/** Text for people, not programs. */
const isCommand = (name: string): boolean => /(^|_)(reason|note|comment|description|subject|body)$/.test(name)

function line(leaf: Leaf, { form, name }: FieldContext, value: string): TextControl {
  const { schema, kind } = leaf
  const unit = kind === 'number' ? unitOf(leaf.name) : undefined
  return {
    kind: 'text',
    type: typeOf(leaf),
    value,
    machine: kind !== 'text' || !isCommand(leaf.name),
    ...(kind === 'number' && { inputmode: schema.type === 'integer' ? ('numeric' as const) : ('decimal' as const) }),
    ...(kind === 'number' && schema.minimum !== undefined && { min: schema.minimum }),
    ...(kind === 'number' && schema.maximum !== undefined && { max: schema.maximum }),
    ...(kind === 'text' && schema.minLength !== undefined && { minlength: schema.minLength }),
    ...(kind === 'text' && schema.maxLength !== undefined && { maxlength: schema.maxLength }),
    ...(leaf.name === 'code' && { autocomplete: 'one-time-code' }),
    ...(unit && { unit }),
    ...(isLimit(leaf) && { none: { label: noneLabel(leaf), on: form.get(noneName(name)) === 'true' } }),
  }
}

/** What null means, by the contract; for a limit whose maximum is the largest count, unlimited. */
function noneLabel({ schema, description }: Leaf): string {
  const [, word] = /\bnull: ([^;]+)/.exec(description) ?? []
  if (word !== undefined) return worded(word)
  return schema.maximum === 1_000_000_000 && !description.includes('if not set') ? 'Unlimited' : 'Not set'
}

/** Days as the contract has them, which are what browsers send. */
const DAY_PATTERN = '^\\d{4}-\\d{2}-\\d{2}$'

function typeOf({ kind, schema, name }: Leaf): TextControl['type'] {
  if (kind === 'time') return 'datetime-local'
  if (schema.format === 'email') return 'email'
  if (schema.pattern === DAY_PATTERN) return 'date'
  return kind === 'text' && name === 'url' ? 'url' : 'text'
}

const rowsFor = (value: string, least: number): number => Math.min(20, Math.max(least, value.split('\n').length + 1))
