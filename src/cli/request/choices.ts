import type { ProblemDocument } from '../errors.ts'
import { type Command, operationOf, table } from '../table.ts'
import type { Item } from './items.ts'
import { labelOf } from './naming.ts'

/** More would make an error unreadable. */
const MAX_LISTED = 20

const listed = (items: readonly Item[]): Record<string, string> =>
  Object.fromEntries(items.map((item) => [item.id, labelOf(item)]))

/** Says that a name could mean several, with the list. */
export const ambiguous = (title: string, items: readonly Item[], advice = ''): ProblemDocument => ({
  type: 'panel:problems/usage',
  title,
  fields: listed(items.slice(0, MAX_LISTED)),
  hint: `${advice}use an id`,
})

/** What people know an object without a name by. */
const descriptions = ['schedule', 'command', 'comment', 'url']

/** The id of the only one with this description; else the problem, with the ids that there are. */
export function described(noun: string, path: string, text: string, items: readonly Item[]): string | ProblemDocument {
  const found = items.filter((item) => descriptions.some((field) => item[field] === text))
  if (found.length === 1) return found[0]!.id
  const type = 'panel:problems/not-found'
  const detail = `${text} is not the id of a ${noun}`
  const hint = `see ${commandThatLists(path)}`
  if (items.length === 0 || items.length > MAX_LISTED) return { type, title: 'Not found', status: 404, detail, hint }
  return { type, title: detail, status: 404, fields: listed(items), hint }
}

function commandThatLists(path: string): string {
  const template = path.replace(/(?<=\/)[0-7][0-9A-HJKMNP-TV-Z]{25}(?=\/|$)/g, '{}')
  const plain = (one: string): string => one.replace(/\{\w+\}/g, '{}')
  const lists = (id: string | undefined): boolean =>
    id !== undefined && plain(operationOf(id).path) === template && operationOf(id).list !== undefined
  const found = table.commands.find(({ operation, variant }: Command) => lists(operation) || lists(variant))
  return found ? `panel ${found.words.join(' ')}` : 'panel --help'
}
