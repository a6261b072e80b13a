/**
 * Matches names against a search. WHM accepts Perl regular expressions; only literals, `^`, `$`, escapes and `.*` are
 * supported here, and anything else is searched for as text. No pattern ever reaches a RegExp, which could hang the
 * server.
 */
export function matcher(search: string, method: string | undefined): (name: string) => boolean {
  const needle = search.toLowerCase()
  if (needle === '') return () => true
  if (method === 'exact') return (name) => name.toLowerCase() === needle
  const pieces = parse(needle)
  return pieces ? (name) => fits(name.toLowerCase(), pieces) : (name) => name.toLowerCase().includes(needle)
}

interface Pieces {
  readonly fromStart: boolean
  readonly toEnd: boolean
  /** Literals in order, with anything in between. */
  readonly literals: readonly string[]
}

const meta = new Set('*+?()[]{}|^$')

function parse(text: string): Pieces | undefined {
  const fromStart = text.startsWith('^')
  const toEnd = text.endsWith('$') && !text.endsWith('\\$')
  const inner = text.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined)
  const literals = ['']
  for (let at = 0; at < inner.length; at++) {
    const char = inner[at]!
    if (char === '\\') {
      const escaped = inner[++at]
      if (escaped === undefined || /[a-z0-9]/.test(escaped)) return undefined
      literals[literals.length - 1] += escaped
    } else if (char === '.' && inner[at + 1] === '*') {
      if (literals.length === 1 || literals.at(-1) !== '') literals.push('')
      at++
    } else if (meta.has(char)) return undefined
    else literals[literals.length - 1] += char
  }
  return { fromStart, toEnd, literals }
}

function fits(name: string, { fromStart, toEnd, literals }: Pieces): boolean {
  const [first, last] = [literals[0]!, literals.at(-1)!]
  if (literals.length === 1) return fitsOne(name, first, fromStart, toEnd)
  if (fromStart && !name.startsWith(first)) return false
  const end = toEnd ? name.length - last.length : name.length
  if (toEnd && !name.endsWith(last)) return false
  let at = 0
  for (const literal of toEnd ? literals.slice(0, -1) : literals) {
    const found = name.indexOf(literal, at)
    if (found < 0 || found + literal.length > end) return false
    at = found + literal.length
  }
  return true
}

function fitsOne(name: string, literal: string, fromStart: boolean, toEnd: boolean): boolean {
  if (fromStart && toEnd) return name === literal
  if (fromStart) return name.startsWith(literal)
  return toEnd ? name.endsWith(literal) : name.includes(literal)
}
