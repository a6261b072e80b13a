import type { Table } from '../cli/table.ts'
import { commandTable } from './table.ts'

/** The files that the command line reads its table from: all of it, and what the commands with a first word need. */
export function tableFiles(): Map<string, string> {
  const table = commandTable()
  const words = new Set(table.commands.map(({ words: [first = ''] }) => first))
  const parts = [...words].map((word) => [`${word}.json`, JSON.stringify(partOf(word, table))] as const)
  return new Map([['all.json', JSON.stringify(table)], ...parts])
}

function partOf(word: string, table: Table): Table {
  const commands = table.commands.filter(({ words }) => words[0] === word)
  const named = commands.flatMap(({ operation, variant }) => [operation, variant])
  const ids = present(named.flatMap((id) => [id, id && table.operations[id]?.reread?.operation]))
  const shapes = present([...ids].map((id) => table.operations[id]?.shape))
  return {
    ...table,
    commands,
    operations: picked(table.operations, ids),
    shapes: picked(table.shapes, shapes),
    areas: picked(table.areas, new Set([word])),
    events: [],
  }
}

const present = (names: readonly (string | undefined)[]): Set<string> =>
  new Set(names.filter((name) => name !== undefined))

const picked = <T>(all: Readonly<Record<string, T>>, keys: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([key]) => keys.has(key)))
