/** One line of a .gitignore. */
interface IgnoreRule {
  readonly pattern: RegExp
  readonly isNegated: boolean
  readonly isForDirectories: boolean
}

/** The rules of a directory's .gitignore; paths are relative to that directory. */
export interface IgnoreFile {
  /** The directory, from the top, with a final slash; empty for the top. */
  readonly base: string
  readonly rules: readonly IgnoreRule[]
}

export const readIgnoreFile = (base: string, text: string): IgnoreFile => ({
  base,
  rules: text.split('\n').flatMap((line) => ruleOf(line.replace(/\r$/, '')) ?? []),
})

function ruleOf(line: string): IgnoreRule | undefined {
  const text = line.replace(/(?<!\\)[ \t]+$/, '')
  if (text === '' || text.startsWith('#')) return undefined
  const isNegated = text.startsWith('!')
  const body = isNegated ? text.slice(1) : text
  const isForDirectories = body.endsWith('/')
  const path = isForDirectories ? body.slice(0, -1) : body
  const isAnchored = path.includes('/')
  const source = sourceOf(path.replace(/^\//, ''), isAnchored)
  if (path === '' || source === undefined) return undefined
  try {
    return { pattern: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`, 's'), isNegated, isForDirectories }
  } catch {
    // Such a pattern matches nothing in git either.
    return undefined
  }
}

/** Parts of a pattern, the longest first. */
const token = /^\*{2,}\/|\/\*{2,}\/|\/\*{2,}$|\*+|\?|\[(?:\\.|[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]|\\.|[\s\S]/g

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** git compares what is before the first wildcard by itself: the rest of `a/b**` begins with its asterisks. */
function sourceOf(path: string, isAnchored: boolean): string | undefined {
  if (/(?<!\\)(?:\\\\)*\\$/.test(path)) return undefined
  const [literal] = /^[^*?[\\]*/.exec(path)!
  const rest = path.slice(literal.length)
  if (/^\*{2,}$/.test(rest) && isAnchored) return `${escaped(literal)}.*`
  const source = rest.replaceAll(token, (part) => {
    if (/^\*.*\/$/.test(part)) return '(?:.*/)?'
    if (/^\/.+\/$/.test(part)) return '/(?:.*/)?'
    if (/^\/.+$/.test(part)) return '/.+'
    if (part.startsWith('*')) return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.startsWith('[') && part.length > 1) return classOf(part.slice(1, -1))
    return escaped(part.length === 2 ? part[1]! : part)
  })
  return escaped(literal) + source
}

const posix: Readonly<Record<string, string>> = {
  '[:alnum:]': 'A-Za-z0-9',
  '[:alpha:]': 'A-Za-z',
  '[:digit:]': '0-9',
  '[:lower:]': 'a-z',
  '[:space:]': '\\s',
  '[:upper:]': 'A-Z',
}

/** A class of characters; none of them is a slash. */
function classOf(body: string): string {
  const isNegated = /^[!^]/.test(body)
  const inner = (isNegated ? body.slice(1) : body).replaceAll(
    /\[:\w+:\]|\\.|[\\[\]^&~|]/g,
    (one) => posix[one] ?? `\\${one.replace(/^\\/, '')}`,
  )
  return `(?!/)[${isNegated ? '^' : ''}${inner}]`
}

/** Whether the last rule that matches a path leaves it out; inner files come after outer ones. */
export function isIgnored(files: readonly IgnoreFile[], path: string, isDirectory: boolean): boolean {
  for (const { base, rules } of files.toReversed()) {
    const below = path.slice(base.length)
    const rule = rules.findLast((one) => (isDirectory || !one.isForDirectories) && one.pattern.test(below))
    if (rule) return !rule.isNegated
  }
  return false
}
