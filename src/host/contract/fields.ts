import { isIPv4, isIPv6 } from 'node:net'
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
  /** SHA512-CRYPT. */
  crypt: /^\$6\$[./A-Za-z0-9]{16}\$[./A-Za-z0-9]{86}$/,
  shell: /^(?:\/usr)?\/s?bin\/[a-z][a-z0-9]{1,15}$/,
} as const

/** Throws for a value that could be misinterpreted where it is written; nothing is ever escaped. */
export type FieldCheck = (value: unknown, field: string) => void

function refuse(field: string): never {
  throw new HostError('stage', `The ${field} is not valid; nothing was written to the host.`)
}

export const text =
  (pattern: RegExp, max = 254): FieldCheck =>
  (value, field) => {
    if (typeof value !== 'string' || value.length > max || !pattern.test(value)) refuse(field)
  }

export const complete =
  (least: number, max: number): FieldCheck =>
  (value, field) => {
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > max) refuse(field)
  }

export const yesOrNo: FieldCheck = (value, field) => {
  if (typeof value !== 'boolean') refuse(field)
}

export const oneOf =
  (...values: readonly (string | number)[]): FieldCheck =>
  (value, field) => {
    if (!values.includes(value as string | number)) refuse(field)
  }

export const ipAddress: FieldCheck = (value, field) => {
  text(patterns.address)(value, field)
  if (!isIPv4(value as string) && !isIPv6(value as string)) refuse(field)
}

export const listOf =
  (check: FieldCheck, max: number): FieldCheck =>
  (value, field) => {
    if (!Array.isArray(value) || value.length > max) refuse(`list of ${field}`)
    for (const item of value) check(item, field)
  }

export const either =
  (exact: unknown, check: FieldCheck): FieldCheck =>
  (value, field) => {
    if (value !== exact) check(value, field)
  }

export const optional = (check: FieldCheck): FieldCheck => either(undefined, check)

/** The check of an object-valued field. */
export const object =
  <State extends object>(checks: Checks<State>, of: string): FieldCheck =>
  (value) =>
    fields<State>(checks, of)(value as State)

type Checks<State> = { readonly [Field in keyof Required<State>]: FieldCheck }

/** Checks an object by its fields. A field without a check is one that this host does not support. */
export function fields<State extends object>(checks: Checks<State>, of = ''): (state: State) => void {
  const names = Object.keys(checks) as (keyof State & string)[]
  return (state) => {
    if (typeof state !== 'object' || state === null) refuse(of)
    knowsAll(Object.keys(state), names, `field of ${of}`)
    for (const name of names) checks[name](state[name], withUserMessage(name))
  }
}

/** Refuses names that a newer panel may know and this host does not: never apply half a state. */
export function knowsAll(input: readonly string[], known: readonly string[], what: string): void {
  if (input.every((name) => known.includes(name))) return
  throw new HostError(
    'unsupported',
    `The host agent does not know every ${what}; update it to the version of the panel.`,
  )
}

/** A field's name for users: `spamFilter` is the spam filter. */
const withUserMessage = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
