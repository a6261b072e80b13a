import { type EventType, events, eventTypes, groupOf } from '../../contract/events.ts'
import { didYouMean } from '../../shared/similar.ts'

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

/** Why nothing matches a pattern, and what was probably meant. */
export function unknownType(name: string, forAccount = false): string {
  const types = eventTypes.filter((type) => !forAccount || events[type].account)
  const groups = [...new Set(types.map((type) => `${groupOf(type)}.*`))]
  const near = name === '' ? undefined : didYouMean(name, [...groups, ...types])
  const group = groups.find((one) => name.startsWith(one.slice(0, -1)))
  const inGroup = group && `${group} has ${types.filter((type) => matchesType(group, type)).join(', ')}`
  const hint = near ?? inGroup ?? `the groups are ${groups.join(', ')}`
  return `${name || 'an empty name'} is not an event type or group pattern; ${hint}`
}
