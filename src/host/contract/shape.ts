import * as v from 'valibot'
import type { Fields, Schema } from './fields.ts'

/**
 * What a host may answer. An agent may be newer, so unknown fields are ignored; a node's root may be hostile, so
 * everything has a bound, which is checked before the rest is looked at.
 */
type Shapes = Readonly<Record<string, Schema<unknown>>>

/** Any finite one. */
export const number: Schema<number> = v.pipe(v.number(), v.finite())

export const integer: Schema<number> = v.pipe(v.number(), v.safeInteger())

export const count: Schema<number> = v.pipe(integer, v.minValue(0))

export const upTo = (max: number): Schema<number> => v.pipe(count, v.maxValue(max))

/** The largest number that a page's place can name, and less than the last moment that a date can be. */
export const MAX_PLACE = 999_999_999_999_999

/** In milliseconds since 1970. */
export const moment = upTo(MAX_PLACE)

/** Bytes or milliseconds: users' files can have sizes and times beyond safe integers. */
export const amount: Schema<number> = v.pipe(v.number(), v.finite(), v.minValue(0))

export const flag: Schema<boolean> = v.boolean()

/** Only ever set to `true`, or absent. */
export const mark: Schema<true | undefined> = v.nullish(v.boolean()) as Schema<true | undefined>

export const text = (max: number): Schema<string> => v.pipe(v.string(), v.maxLength(max))

/** Text that is safe in a header or on one line. */
export const plain = (max: number): Schema<string> => v.pipe(text(max), v.regex(/^[\x20-\x7e]*$/))

/** Text without control characters. */
export const line = (max: number): Schema<string> => v.pipe(text(max), v.regex(/^\P{Cc}*$/u))

export const exactly = (pattern: RegExp): Schema<string> => v.pipe(v.string(), v.regex(pattern))

export const none = v.nullish(v.never()) as Schema<null>

export const orNone = <T>(shape: Schema<T>): Schema<T | null> => v.nullish(shape) as Schema<T | null>

export const either = <One, Other>(one: Schema<One>, other: Schema<Other>): Schema<One | Other> => v.union([one, other])

export const oneOf = <const Value extends string | number>(...values: readonly Value[]): Schema<Value> =>
  v.picklist(values)

export const maybe = <T>(shape: Schema<T>): Schema<T | undefined> => v.nullish(shape) as Schema<T | undefined>

export const list = <T>(shape: Schema<T>, max = 100_000): Schema<readonly T[]> =>
  v.pipe(
    v.custom<unknown[]>((value) => Array.isArray(value) && value.length <= max),
    v.array(shape),
  ) as Schema<readonly T[]>

export const pair = <One, Other>(one: Schema<One>, other: Schema<Other>): Schema<readonly [One, Other]> =>
  v.strictTuple([one, other])

const MAX_NAME_LENGTH = 4096
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object with arbitrary keys. */
export const named = <T>(shape: Schema<T>, max: number): Schema<Readonly<Record<string, T>>> =>
  v.custom<Readonly<Record<string, T>>>((value) => {
    const all = isObject(value) ? Object.entries(value) : undefined
    return (
      all !== undefined &&
      all.length <= max &&
      all.every(([name, one]) => name.length <= MAX_NAME_LENGTH && v.safeParse(shape, one).success)
    )
  })

export const fields = <const Of extends Shapes>(shapes: Of): Schema<Fields<Of>> =>
  v.pipe(v.custom<object>(isObject), v.object(shapes)) as unknown as Schema<Fields<Of>>

export const name = text(255)
export const id = text(64)
export const sentence = text(20_000)
export const sentences = list(sentence, 10_000)
export const sha256 = exactly(/^[0-9a-f]{64}$/)
/** Of bytes: valid once and for a minute. */
export const ticket = exactly(/^[0-9a-f]{32}$/)
