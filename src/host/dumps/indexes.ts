import { type Code, printable } from './statement.ts'

const beforeIndex = ['UNIQUE', 'FULLTEXT', 'SPATIAL', 'PRIMARY']

/** A definition in a list: of a column, an index or another constraint. */
interface Item {
  readonly from: number
  readonly to: number
}

/** Changes what MySQL says of a table's indexes: MariaDB has other words for hidden ones, and none of expressions. */
export function fixIndexes(code: Code, warn: (reason: string) => void): void {
  const items = itemsIn(code)
  let isFirst = !code.isWord((items[0]?.from ?? 0) - 1, ',')
  for (const item of items) {
    const at = indexAt(code, item)
    if (at === undefined || fixIndex(code, { from: at, to: item.to }, warn)) isFirst = false
    else remove(code, item, isFirst)
  }
}

/** With one comma: the one before it, or the one after it where nothing is before it. */
const remove = (code: Code, { from, to }: Item, isFirst: boolean): void =>
  code.replace(isFirst ? from : from - 1, isFirst && code.isWord(to, ',') ? to : to - 1)

/** Returns false for an index that MariaDB does not support. */
export function fixIndex(code: Code, { from, to }: Item, warn: (reason: string) => void): boolean {
  const open = find(code, from, to, '(')
  const close = closing(code, open, to)
  if (hasExpression(code, open, close)) {
    warn(`the index ${printable(nameIn(code, from, open))} left out: MariaDB does not index expressions`)
    return false
  }
  for (let at = close + 1; at < to; at++) {
    if (code.isWord(at, 'VISIBLE')) code.replace(at, at)
    if (code.isWord(at, 'INVISIBLE')) code.replace(at, at, 'IGNORED')
  }
  return true
}

/** Between the outer parentheses of CREATE TABLE, or all that ALTER TABLE does. */
function itemsIn(code: Code): Item[] {
  const isCreate = code.isWord(0, 'CREATE')
  const begin = isCreate ? find(code, 1, code.length, '(') + 1 : find(code, 1, code.length, 'ADD')
  const end = isCreate ? closing(code, begin - 1, code.length) : code.length
  const items: Item[] = []
  for (let [at, from, depth] = [begin, begin, 0]; at <= end && begin <= end; at++) {
    if (code.isWord(at, '(')) depth++
    if (code.isWord(at, ')') && at < end) depth--
    if (at < end && (depth > 0 || !code.isWord(at, ','))) continue
    items.push({ from, to: at })
    from = at + 1
  }
  return items
}

/** Where an index begins in a definition: after ADD and CONSTRAINT with its name. */
function indexAt(code: Code, { from, to }: Item): number | undefined {
  let at = code.after(from, 'ADD')
  if (code.isWord(at, 'CONSTRAINT')) at += code.isWord(at + 1, ...beforeIndex) ? 1 : 2
  const isIndex = code.isWord(at, 'KEY', 'INDEX', ...beforeIndex)
  return isIndex && find(code, at, to, '(') < to ? at : undefined
}

function nameIn(code: Code, from: number, open: number): string {
  const at = code.after(from, 'KEY', 'INDEX', ...beforeIndex)
  return at < open ? code.value(at) : 'without a name'
}

/** Whether one of its parts is in parentheses itself. */
function hasExpression(code: Code, open: number, close: number): boolean {
  for (let at = open + 1; at < close; at++) {
    if (code.isWord(at, '(') && code.isWord(at - 1, '(', ',')) return true
  }
  return false
}

function find(code: Code, from: number, to: number, word: string): number {
  for (let at = from; at < to; at++) if (code.isWord(at, word)) return at
  return to
}

function closing(code: Code, open: number, to: number): number {
  for (let [at, depth] = [open, 0]; at < to; at++) {
    if (code.isWord(at, '(')) depth++
    if (code.isWord(at, ')') && --depth === 0) return at
  }
  return to
}
