interface DiffEntry {
  readonly name: string
  readonly type: string
  readonly value: string
  readonly ttl?: number
  readonly priority?: number
  readonly weight?: number
  readonly port?: number
  readonly flags?: number
  readonly tag?: string
}

export interface ZoneDifference {
  readonly created: readonly DiffEntry[]
  readonly deleted: readonly DiffEntry[]
}

const textOf = ({ name, type, value, ttl, priority, weight, port, flags, tag }: DiffEntry): string =>
  [name, ttl, type, priority, weight, port, flags, tag, value].filter((part) => part !== undefined).join(' ')

/** The records of a zone that a file would change: `-` removed, `+` added. */
export const linesOf = ({ created, deleted }: ZoneDifference): string[] => [
  ...deleted.map((record) => `- ${textOf(record)}`),
  ...created.map((record) => `+ ${textOf(record)}`),
]
