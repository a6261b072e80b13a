import { isIPv4, isIPv6 } from 'node:net'
import * as v from 'valibot'
import { label, localParts, topLabel, ulid } from '../../shared/patterns.ts'
import { HostError } from './error.ts'

export const patterns = {
  id: new RegExp(`^${ulid}$`),
  username: /^[a-z][a-z0-9]{1,15}$/,
  domain: new RegExp(`^(?:${label}\\.)+${topLabel}$`),
  hostname: new RegExp(`^(?:${label}\\.)*${label}$`),
  /** Of a person: without what only other servers' programs need. */
  contact: new RegExp(`^[A-Za-z0-9_][A-Za-z0-9_'+.-]{0,63}@(?:${label}\\.)+${topLabel}$`, 'i'),
  email: new RegExp(`^${localParts.elsewhere}@(?:${label}\\.)+${topLabel}$`, 'i'),
  address: /^[0-9A-Fa-f.:]{2,45}$/,
  /** What crypt(3) verifies; other panels' hashes have other forms than the panel's own. */
  crypt:
    /^(?:\$[56]\$(?:rounds=\d{1,6}\$)?[./A-Za-z0-9]{1,16}\$(?:[./A-Za-z0-9]{43}|[./A-Za-z0-9]{86})|\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$y\$j[6-9A]T\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43})$/,
  shell: /^(?:\/usr)?\/s?bin\/[a-z][a-z0-9]{1,15}$/,
} as const

/** Refuses a value that could be misinterpreted where it is written; nothing is ever escaped. */
export type Schema<T> = v.GenericSchema<T>
export type Output<Of> = Of extends Schema<infer T> ? T : never

/** What an issue is about: the field where it was found, a list there, or an object by its own name. */
const theField = '{}'
const theList = 'list of {}'
const unknown = 'unknown '

/** A value that a function accepts; `about` says what is not valid, or is a sentence. */
export const that = <T>(is: (value: T) => boolean, about = theField): Schema<T> =>
  v.custom<T>((value) => is(value as T), about)

export const MAX_TEXT_LENGTH = 254
export const text = (pattern: RegExp, max = MAX_TEXT_LENGTH): Schema<string> =>
  v.pipe(v.string(theField), v.maxLength(max, theField), v.regex(pattern, theField))

export const complete = (least: number, max: number): Schema<number> =>
  v.pipe(v.number(theField), v.safeInteger(theField), v.minValue(least, theField), v.maxValue(max, theField))

export const yesOrNo: Schema<boolean> = v.boolean(theField)

export const oneOf = <const Value extends string | number>(...values: readonly Value[]): Schema<Value> =>
  v.picklist(values, theField)

export const ipAddress: Schema<string> = v.pipe(
  text(patterns.address),
  v.check((value) => isIPv4(value) || isIPv6(value), theField),
)

/** Its length is checked first: only so many items are looked at. */
export const listOf = <T>(item: Schema<T>, max: number): Schema<readonly T[]> =>
  v.pipe(
    that<unknown[]>((value) => Array.isArray(value) && value.length <= max, theList),
    v.array(item),
  ) as Schema<readonly T[]>

export const either = <Exact, T>(exact: Exact, other: Schema<T>): Schema<Exact | T> =>
  v.lazy((value) => (value === exact ? v.unknown() : other)) as Schema<Exact | T>

/** A schema that depends on the value. */
export const depending = <T>(on: (value: unknown) => Schema<T>): Schema<T> => v.lazy(on)

export const optional = <T>(schema: Schema<T>): Schema<T | undefined> => v.optional(schema)

/** A value that a function refuses by throwing. */
export const checked = <T>(check: (value: T) => void): Schema<T> =>
  that<T>((value) => {
    check(value)
    return true
  })

type Entries = Readonly<Record<string, Schema<unknown>>>
type OptionalIn<Of extends Entries> = {
  [Field in keyof Of]: undefined extends Output<Of[Field]> ? Field : never
}[keyof Of]

/** What an object of these fields is. */
export type Fields<Of extends Entries> = {
  readonly [Field in Exclude<keyof Of, OptionalIn<Of>>]: Output<Of[Field]>
} & { readonly [Field in OptionalIn<Of>]?: Output<Of[Field]> }

type Checks<State> = { readonly [Field in keyof Required<State>]: Schema<State[Field]> }

/**
 * An object by its fields. A field without a schema is one that this host does not support: a newer panel may know it,
 * and half a state must never be applied.
 */
export function object<const Of extends Entries>(entries: Of, of = ''): Schema<Fields<Of>> {
  const names = new Set(Object.keys(entries))
  return v.pipe(
    that<object>((value) => typeof value === 'object' && value !== null, of),
    v.check((value) => Object.keys(value).every((name) => names.has(name)), `${unknown}field of ${of}`),
    v.object(entries, (issue) => missing(entries, issue)),
  ) as Schema<Fields<Of>>
}

/** The same for a state that is declared as an interface. */
export const objectOf = <State extends object>(checks: Checks<State>, of = ''): Schema<State> =>
  object(checks as Entries, of) as Schema<unknown> as Schema<State>

/** A field that is missing is as wrong as an undefined one. */
function missing(
  entries: Entries,
  { path }: { readonly path?: readonly { readonly key: unknown }[] | undefined },
): string {
  const schema = entries[String(path?.at(-1)?.key)]
  return (schema && v.safeParse(schema, undefined, first).issues?.[0].message) ?? theField
}

/** The check of an object by its fields. */
export function fields<State extends object>(checks: Checks<State>, of = ''): (state: State) => void {
  const schema = objectOf<State>(checks, of)
  return (state) => check(schema, state)
}

/** Whether the schema accepts a value. */
export const accepts = (schema: Schema<unknown>, value: unknown): boolean => v.safeParse(schema, value, first).success

/** The value without fields that the schema does not have; undefined if it is refused. */
export function readAs<T>(schema: Schema<T>, value: unknown): { readonly value: T } | undefined {
  const { success, output } = v.safeParse(schema, value, first)
  return success ? { value: output } : undefined
}

const first = { abortEarly: true, abortPipeEarly: true } as const

/** A schema with one more condition; `about` says what is not valid, or is a sentence. */
export const where = <T>(schema: Schema<T>, is: (value: T) => boolean, about: string): Schema<T> =>
  v.pipe(schema, v.check(is, about))

/** Throws for a value that the schema refuses. */
export function check<T>(schema: Schema<T>, value: unknown, field = ''): asserts value is T {
  const { issues } = v.safeParse(schema, value, first)
  if (issues) throw refusal(issues[0], field)
}

function refusal({ message, path }: v.BaseIssue<unknown>, field: string): HostError {
  if (message.startsWith(unknown)) return doesNotKnow(message.slice(unknown.length))
  const at = path?.findLast(({ key }) => typeof key === 'string')?.key ?? field
  const what = message.replace(theField, inWords(String(at)))
  if (what.endsWith('.')) return new HostError('stage', what)
  return new HostError('stage', `The ${what} is not valid; nothing was written to the host.`)
}

/** Refuses names that a newer panel may know and this host does not: never apply half a state. */
export function knowsAll(input: readonly string[], known: readonly string[], what: string): void {
  if (!input.every((name) => known.includes(name))) throw doesNotKnow(what)
}

const doesNotKnow = (what: string): HostError =>
  new HostError('unsupported', `The host agent does not know every ${what}; update it to the version of the panel.`)

/** A field's name for users: `spamFilter` is the spam filter. */
const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
