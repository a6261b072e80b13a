/** A token of PHP code. Comments, white space and what is outside of `<?php` are left out. */
export interface PhpToken {
  readonly kind: 'word' | 'variable' | 'literal' | 'symbol'
  /** The value of a literal; a word without a leading backslash. */
  readonly text: string
}

type Match = (pattern: RegExp) => RegExpExecArray | null

// Each also matches an unclosed token, so that reading stays linear in the length of the file.
const skipped = /\s+|(?:#(?!\[)|\/\/)(?:(?!\?>)[^\n])*|\/\*[\s\S]*?(?:\*\/|$)/y
const closing = /\?>/y
const single = /'([^'\\]*(?:\\[\s\S]?[^'\\]*)*)'?/y
const double = /"([^"\\]*(?:\\[\s\S]?[^"\\]*)*)"?/y
const heredoc = /<<<[ \t]*(["']?)([A-Za-z_]\w*)\1\r?\n(?:[\s\S]*?\n[ \t]*\2\b|[\s\S]*)/y
const number = /\d[\w.]*/y
const variable = /\$[A-Za-z_\x80-\xff][\w\x80-\xff]*/y
const word = /[A-Za-z_\\\x80-\xff][\w\\\x80-\xff]*/y

/** The tokens of a PHP file, whose bytes are one character each. Takes any text, and runs nothing. */
export function phpTokens(code: string): PhpToken[] {
  const tokens: PhpToken[] = []
  let at = afterOpening(code, 0)
  const match: Match = (pattern) => {
    pattern.lastIndex = at
    const matched = pattern.exec(code)
    if (matched) at = pattern.lastIndex
    return matched
  }
  while (at < code.length) {
    if (match(skipped)) continue
    if (match(closing)) at = afterOpening(code, at)
    else tokens.push(nextToken(match) ?? { kind: 'symbol', text: code[at++]! })
  }
  return tokens
}

function nextToken(match: Match): PhpToken | undefined {
  const text = match(single)
  if (text) return { kind: 'literal', text: text[1]!.replace(/\\(['\\])/g, '$1') }
  const quoted = match(double)
  if (quoted) return textWithVariables(quoted[1]!)
  if (match(heredoc)) return dynamic
  const digits = match(number)
  if (digits) return { kind: 'literal', text: digits[0] }
  const name = match(variable)
  if (name) return { kind: 'variable', text: name[0] }
  const called = match(word)
  return called ? { kind: 'word', text: called[0].replace(/^\\/, '') } : undefined
}

/** A string whose value depends on variables. */
const dynamic: PhpToken = { kind: 'symbol', text: '"' }

const textWithVariables = (text: string): PhpToken =>
  text.includes('$') ? dynamic : { kind: 'literal', text: text.replace(/\\(["\\])/g, '$1') }

/** Where the next part in PHP begins. */
function afterOpening(code: string, from: number): number {
  const opening = /<\?(?:php\b|=)/gi
  opening.lastIndex = from
  return opening.exec(code) ? opening.lastIndex : code.length
}
