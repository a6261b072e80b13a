import { z } from 'zod'
import type { Declaration } from '../../contract/operation.ts'
import { Problem, type ProblemFields } from '../../contract/problem.ts'
import { cutLongLists } from './long-lists.ts'

type Params = Record<string, string>
type Codes = NonNullable<Declaration['fieldCodes']>

/** Shared, because zod compiles each schema it is given. */
const nothing = z.strictObject({})

/** A query of one operation that is asked again and again: it is parsed once. */
export class LastingQuery {
  readonly text: URLSearchParams
  parsed: unknown

  constructor(text: URLSearchParams) {
    this.text = text
  }
}

/** Parses a query string by its schema: 400 `validation` naming each parameter. */
export function parseQuery(op: Declaration, query: URLSearchParams | LastingQuery): unknown {
  if (!(query instanceof LastingQuery)) return parseAnew(op, query)
  query.parsed ??= Object.freeze(parseAnew(op, query.text))
  return query.parsed
}

function parseAnew(op: Declaration, query: URLSearchParams): unknown {
  if (!op.query && query.size === 0) return {}
  const { values, fields } = readQuery(op.query, query)
  return parse(op.query ?? nothing, values, fields)
}

/** Parses a body by its schema; without one, only an empty body or `{}` is valid. */
export function parseBody(op: Declaration, body: unknown): unknown {
  if (!op.body && body === undefined) return {}
  const short = op.body ? cutLongLists(op.body, body) : body
  return parse(op.body ?? nothing, short ?? {}, brokenTextIn(short, op.fieldCodes), op.fieldCodes)
}

function readQuery(
  schema: z.ZodObject | undefined,
  query: URLSearchParams,
): { values: Record<string, unknown>; fields: ProblemFields } {
  const values: Record<string, unknown> = Object.create(null)
  const fields = noFields()
  for (const [name, value] of query) {
    if (name in values) fields[name] = 'was given twice; give it once'
    values[name] = typed(schema?.shape[name], value)
  }
  return { values: { ...values }, fields }
}

/** Query values are text; only plain digits are read as numbers, where the schema expects one. */
function typed(schema: unknown, value: string): unknown {
  const kind = schema instanceof z.ZodType ? bare(schema) : undefined
  if (kind instanceof z.ZodNumber && /^-?\d{1,20}$/.test(value)) return parseInteger(value)
  if (kind instanceof z.ZodBoolean && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** Clamp integers above MAX_SAFE_INTEGER instead of refusing them. */
const parseInteger = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER)

function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? bare(schema.unwrap() as z.ZodType) : schema
}

function parse(schema: z.ZodType, value: unknown, fields: ProblemFields, codes: Codes = {}): unknown {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success && Object.keys(fields).length === 0) return result.data
  throw problemOf({ ...(result.error ? fieldsOf(result.error, codes) : {}), ...fields }, codes)
}

/** A field's own code becomes the problem's code, unless another field is invalid too. */
function problemOf(fields: ProblemFields, codes: Codes): Problem {
  const names = Object.keys(fields)
  const code = names.every((name) => Object.hasOwn(codes, name)) ? codes[names[0]!] : undefined
  const errors = shortened(fields)
  return new Problem(code ?? 'validation', summary(errors), errors)
}

const maxFields = 20
const MAX_NAME_LENGTH = 100

/** Do not answer a hundred thousand errors with a list of them all. */
function shortened(fields: ProblemFields): ProblemFields {
  const errors = noFields()
  for (const [name, message] of Object.entries(fields).slice(0, maxFields))
    errors[name.slice(0, MAX_NAME_LENGTH)] = message
  return errors
}

/** No prototype: field names come from callers, and may be `constructor` or `__proto__`. */
const noFields = (): ProblemFields => Object.create(null)

const isUnknown = 'is not a known field; leave it out'

/** No schema is nested deeper. */
const deepest = 8

const noText = /[\0\u{d800}-\u{dfff}]/u

/** SQLite would not keep NUL or an unpaired surrogate unchanged. */
function brokenTextIn(body: unknown, codes: Codes = {}): ProblemFields {
  const fields = noFields()
  let left = maxFields
  const look = (value: unknown, path: string[]): void => {
    if (left === 0) return
    if (typeof value === 'string' && noText.test(value)) {
      left--
      const head = path[0]!
      fields[Object.hasOwn(codes, head) ? head : path.join('.')] = 'must not contain NUL or unpaired surrogates'
    }
    if (typeof value !== 'object' || value === null || path.length >= deepest) return
    for (const name of Object.keys(value)) {
      path.push(name)
      look((value as Record<string, unknown>)[name], path)
      path.pop()
    }
  }
  look(body, [])
  return fields
}

const summary = (fields: ProblemFields): string =>
  Object.entries(fields)
    .map(([name, message]) => `${name}: ${message}`)
    .join('; ')

function fieldsOf(error: z.ZodError, codes: Codes): ProblemFields {
  const fields = noFields()
  for (const issue of error.issues) {
    const integer = codedField(issue, codes)
    for (const [name, message] of messagesOf(issue))
      fields[integer ?? name] ??=
        integer !== undefined && name !== integer ? `${name.slice(integer.length + 1)}: ${message}` : message
  }
  return fields
}

/** An error inside a field with its own code (`events.0`) is reported as that field's. */
function codedField(issue: z.core.$ZodIssue, codes: Codes): string | undefined {
  const head = String(issue.path[0])
  return Object.hasOwn(codes, head) ? head : undefined
}

/** An error inside a list is reported for the list: options and forms know no `scopes.0`. */
function fieldPath(path: readonly PropertyKey[]): string[] {
  const index = path.findIndex((part) => typeof part === 'number')
  return path.slice(0, index < 0 ? path.length : index).map(String)
}

function messagesOf(issue: z.core.$ZodIssue): [string, string][] {
  const path = fieldPath(issue.path)
  const item = itemOf(issue.path.slice(path.length))
  if (issue.code === 'unrecognized_keys' && item)
    return issue.keys
      .slice(0, 1)
      .map((key) => [path.join('.'), `${item}${key.slice(0, MAX_NAME_LENGTH)}: ${isUnknown}`])
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxFields).map((key) => [[...path, key].join('.'), isUnknown])
  return [[path.join('.') || 'body', `${item}${messageOf(issue)}`]]
}

/** Names the item of the list, and the field in it. */
function itemOf([at, ...inside]: readonly PropertyKey[]): string {
  if (at === undefined) return ''
  return [`item ${Number(at) + 1}`, ...(inside.length > 0 ? [inside.join('.')] : []), ''].join(': ')
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}`
    case 'too_small':
      return issue.minimum === 1 && unit(issue.origin) !== ''
        ? 'must not be empty'
        : `must be at least ${issue.minimum}${unit(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unit(issue.origin)}`
    case 'invalid_value':
      return `must be ${issue.values
        .map(String)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}`
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an email address' : issue.message
    case 'invalid_union':
      return issue.errors.length > 0 ? unionMessage(issue.errors) : issue.message
    default:
      return issue.message
  }
}

const unionMessage = (errors: readonly (readonly z.core.$ZodIssue[])[]): string =>
  [...new Set(errors.flatMap((issues) => issues.slice(0, 1).map(messageOf)))].join(', or ')

const unit = (origin: string): string => (origin === 'string' ? ' characters' : origin === 'array' ? ' items' : '')

const article = (expected: string): string =>
  expected === 'int' ? 'a whole number' : /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`

export type { Params }
