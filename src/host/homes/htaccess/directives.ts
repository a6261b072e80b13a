/** One directive of a `.htaccess` file. */
export interface Directive {
  /** Of the file, from 1; where continued lines begin. */
  readonly line: number
  /** As it is written, without quotes. */
  readonly name: string
  readonly args: string
  /** The sections around it, the outermost first. */
  readonly sections: readonly Section[]
}

export interface Section {
  /** In lower case, without brackets. */
  readonly name: string
  readonly args: string
  /** Equal ones are the same section. */
  readonly line: number
}

/** Those that Apache knows in `.htaccess` files. */
const sectionNames: ReadonlySet<string> = new Set([
  'else',
  'elseif',
  'files',
  'filesmatch',
  'if',
  'ifdefine',
  'ifdirective',
  'iffile',
  'ifmodule',
  'ifsection',
  'ifversion',
  'limit',
  'limitexcept',
  'requireall',
  'requireany',
  'requirenone',
])

/** More are read as if they were the innermost of these. */
const MAX_SECTIONS = 50

/**
 * Reads a file as Apache does: a backslash at its end continues a line, even a comment's. `text` has one character for
 * each byte. An unknown section is a directive, as are those in it.
 */
export function readDirectives(text: string): Directive[] {
  const found: Directive[] = []
  const sections: Section[] = []
  for (const { line, content } of joinedLines(text)) {
    if (content === '' || content.startsWith('#')) continue
    const { word: name, rest: args } = firstWord(content)
    const section = sectionIn(name, args, line)
    if (section) sections.push(section)
    else if (!closes(name, sections)) found.push({ line, name, args, sections: sections.slice(0, MAX_SECTIONS) })
  }
  return found
}

interface Joined {
  readonly line: number
  readonly content: string
}

function* joinedLines(text: string): Generator<Joined> {
  let [first, parts] = [1, [] as string[]]
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (parts.length === 0) first = at + 1
    if (line.endsWith('\\')) {
      parts.push(line.slice(0, -1))
      continue
    }
    yield { line: first, content: trimmed([...parts, line].join('')) }
    parts = []
  }
  if (parts.length > 0) yield { line: first, content: trimmed(parts.join('')) }
}

const blanks = ' \t\v\f\r'
const isBlank = (one: string): boolean => blanks.includes(one)

/** Apache's white space, which is less than JavaScript's. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && isBlank(text[from]!)) from += 1
  while (to > from && isBlank(text[to - 1]!)) to -= 1
  return text.slice(from, to)
}

/** A word may be in quotes, in which a backslash protects them. */
export function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const quote = text[0] === '"' || text[0] === "'" ? text[0] : undefined
  let end = quote ? 1 : 0
  while (end < text.length && !(quote ? text[end] === quote : isBlank(text[end]!)))
    end += quote && text[end] === '\\' && text[end + 1] === quote ? 2 : 1
  const word = quote ? text.slice(1, end).replaceAll(`\\${quote}`, quote) : text.slice(0, end)
  return { word, rest: trimmed(text.slice(quote ? end + 1 : end)) }
}

function sectionIn(name: string, args: string, line: number): Section | undefined {
  if (!name.startsWith('<') || name.startsWith('</')) return undefined
  const bare = name.slice(1).replace(/>$/, '').toLowerCase()
  return sectionNames.has(bare) ? { name: bare, args: args.replace(/>$/, ''), line } : undefined
}

/** Whether it is the end of a section; it ends the innermost of its name. */
function closes(name: string, sections: Section[]): boolean {
  if (!name.startsWith('</')) return false
  const bare = name.slice(2).replace(/>$/, '').toLowerCase()
  const at = sections.findLastIndex((one) => one.name === bare)
  if (at >= 0) sections.splice(at)
  return at >= 0 || sectionNames.has(bare)
}
