import { type EventType, events, eventTypes } from '../../contract/events.ts'

/** The types a list names, group patterns (`dns.*`) included; the first that names nothing is the fault. */
export function expandTypes(names: readonly string[], forAccount = false): { types: EventType[] } | { fault: string } {
  const found = new Set<EventType>()
  for (const name of names) {
    const matches = eventTypes.filter((type) => matchesType(name, type) && (!forAccount || events[type].account))
    if (matches.length === 0) return { fault: name }
    for (const type of matches) found.add(type)
  }
  return { types: [...found] }
}

/** Whether a pattern (`*`, a type, or a group pattern of any depth) takes in a type. */
export function matchesType(pattern: string, type: EventType): boolean {
  if (pattern === '*' || pattern === type) return true
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))
}
