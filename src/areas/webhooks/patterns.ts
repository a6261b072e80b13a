import { type EventType, eventTypes } from '../../contract/events.ts'
import { expandTypes, matchesType, unknownType } from '../events/types.ts'

/** Why a list of event types and group patterns is invalid, undefined if it is valid. */
export function eventsProblem(names: readonly string[], forAccount: boolean): string | undefined {
  const expanded = expandTypes(names, forAccount)
  if (!('problem' in expanded)) return undefined
  const name = expanded.problem
  const known = forAccount && eventTypes.some((type) => matchesType(name, type))
  return known ? `${name} is not sent to webhooks of accounts` : unknownType(name, forAccount)
}

const compiled = new Map<string, ReadonlySet<EventType>>()
const MAX_CACHED_PATTERNS = 1000

/** Whether a webhook with this stored list subscribes to a type. `*` includes future types. */
export function wants(stored: string, type: EventType): boolean {
  let types = compiled.get(stored)
  if (!types) {
    const names = JSON.parse(stored) as string[]
    types = new Set(eventTypes.filter((one) => names.some((name) => matchesType(name, one))))
    if (compiled.size >= MAX_CACHED_PATTERNS) compiled.clear()
    compiled.set(stored, types)
  }
  return types.has(type)
}
