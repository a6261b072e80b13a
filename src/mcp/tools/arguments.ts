import { ToolFailure } from '../failure.ts'

export type Arguments = Readonly<Record<string, unknown>>

const wrong = (name: string, message: string): ToolFailure =>
  new ToolFailure('validation', `${name}: ${message}`, undefined, { [name]: message })

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function textIn(args: Arguments, name: string, max: number): string {
  const text = optionalText(args, name, max)
  if (text === undefined || text.trim() === '') throw wrong(name, 'is required')
  return text
}

export function optionalText(args: Arguments, name: string, max: number): string | undefined {
  const value = args[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrong(name, 'must be a text')
  if (value.length > max) throw wrong(name, `must not exceed ${max} characters`)
  return value
}

export function inputIn(args: Arguments): Readonly<Record<string, unknown>> {
  const { input = {} } = args
  if (!isObject(input)) throw wrong('input', 'must be an object of the operation’s fields')
  return input
}
