import { type EventType, events, eventTypes } from '../../contract/events.ts'

/** Expands a list of types and group patterns (`dns.*`); the first that matches nothing is the error. */
export function expandTypes(
  names: readonly string[],
  forAccount = false,
): { types: EventType[] } | { problem: string } {
  const found = new Set<EventType>()
  for (const name of names) {
    const matches = eventTypes.filter((type) => matchesType(name, type) && (!forAccount || events[type].account))
    if (matches.length === 0) return { problem: name }
    for (const type of matches) found.add(type)
  }
  return { types: [...found] }
}

/** Whether a pattern (`*`, a type, or a group pattern of any depth) matches a type. */
export function matchesType(pattern: string, type: EventType): boolean {
  if (pattern === '*' || pattern === type) return true
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))
}
