/** A part of a zone file. Lines keep their numbers in the whole file. */
export interface ZonePart {
  readonly first: number
  readonly last: number
  readonly text: string
}

/** A record or directive, with parentheses joined. */
interface ZoneEntry {
  readonly first: number
  readonly last: number
  readonly from: number
  /** It has the name of the previous record. */
  readonly indented: boolean
  readonly words: readonly string[]
}

/** What a line inherits from earlier ones. */
interface Inherited {
  readonly origin: string
  readonly ttl?: string
  readonly owner?: string
}

interface Cut {
  readonly entry: ZoneEntry
  readonly inherited: Inherited
}

const tokens = /"(?:\\[^\n]|[^"\\\n])*"|;[^\n]*|[()\n]|(?:\\[^\n]|[^ \t\r\n();"\\])+/g

function* entriesOf(text: string): Generator<ZoneEntry> {
  let [from, first, line] = [0, 1, 1]
  let open = false
  let words: string[] = []
  const entry = (): ZoneEntry => ({ first, last: line, from, indented: ' \t'.includes(text[from]!), words })
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '(' || token === ')') open = token === '('
    else if (token !== '\n' && !token.startsWith(';')) words.push(token)
    if (token !== '\n') continue
    if (!open && words.length > 0) yield entry()
    line++
    if (!open) [from, first, words] = [index + 1, line, []]
  }
  if (words.length > 0) yield entry()
}

const isDirective = ({ indented, words }: ZoneEntry): boolean => !indented && words[0]!.startsWith('$')

const absolute = (name: string, origin: string): string => {
  if (name === '@') return origin
  return name.endsWith('.') ? name : `${name}.${origin}`
}

function after(inherited: Inherited, entry: ZoneEntry): Inherited {
  const [word = '', value = ''] = entry.words
  if (!isDirective(entry)) return entry.indented ? inherited : { ...inherited, owner: absolute(word, inherited.origin) }
  if (word.toUpperCase() === '$ORIGIN') return { ...inherited, origin: absolute(value, inherited.origin) }
  return word.toUpperCase() === '$TTL' ? { ...inherited, ttl: value } : inherited
}

/** Restates what the lines before a cut set, on the same number of lines. */
function heading({ entry, inherited: { origin, ttl, owner = '' } }: Cut): string {
  const lines = [`$ORIGIN ${origin}`, ...(ttl === undefined ? [] : [`$TTL ${ttl}`])]
  return lines.join('\n') + '\n'.repeat(entry.first - lines.length) + (entry.indented ? owner : '')
}

/** Splits a zone file into self-contained parts of at most so many records. */
export function zoneParts(file: string, zone: string, max: number): ZonePart[] {
  const text = file.replace(/^\ufeff/, '')
  const cuts: (Cut & { last: number })[] = []
  let inherited: Inherited = { origin: `${zone}.` }
  let records = 0
  for (const entry of entriesOf(text)) {
    if (!isDirective(entry) && records++ % max === 0) cuts.push({ entry, inherited, last: entry.last })
    if (!isDirective(entry)) cuts.at(-1)!.last = entry.last
    inherited = after(inherited, entry)
  }
  return cuts.map((cut, at) => {
    const own = text.slice(at === 0 ? 0 : cut.entry.from, cuts[at + 1]?.entry.from)
    return { first: cut.entry.first, last: cut.last, text: at === 0 ? own : heading(cut) + own }
  })
}
