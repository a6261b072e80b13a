const DEFAULT_WIDTH = 80
const minWidth = 40

/** The width of help: the terminal's. */
export const helpWidth = (): number => Math.max(minWidth, process.stdout.columns ?? DEFAULT_WIDTH)

/** Wraps text: fills paragraphs, indents continued rows to their text, and breaks commands with a backslash. */
export function wrapped(text: string, width = helpWidth()): string {
  return blocksOf(text)
    .map((block) => (block.startsWith(' ') ? indented(block, width) : filled(block.split(/\s+/), width)))
    .join('\n')
}

/** Unindented lines join the paragraph before them. */
function blocksOf(text: string): string[] {
  const blocks: string[] = []
  for (const line of text.split('\n')) {
    const before = blocks.at(-1)
    const goesOn = before !== undefined && isProse(before) && isProse(line)
    if (goesOn) blocks[blocks.length - 1] = `${before} ${line}`
    else blocks.push(line)
  }
  return blocks
}

const isProse = (line: string): boolean => line !== '' && !line.startsWith(' ')

function indented(line: string, width: number): string {
  if (line.length <= width) return line
  const [, name = '', text = ''] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? []
  if (name === '') return command(line, width)
  if (name.length <= width / 2) return filled(text.split(' '), width, name, ' '.repeat(name.length))
  return `${command(name.trimEnd(), width)}\n${filled(text.split(' '), width, '      ', '      ')}`
}

/** Breaks a command so that it can be copied. */
function command(line: string, width: number): string {
  const indent = /^ */.exec(line)?.[0] ?? ''
  const lines = filled(line.trim().split(' '), width - 2, indent, `${indent}  `)
  return lines.replaceAll('\n', ' \\\n')
}

function filled(words: readonly string[], width: number, first = '', next = ''): string {
  const lines: string[] = []
  let line = first
  for (const word of words) {
    const isBare = line === first || line === next
    if (!isBare && line.length + 1 + word.length > width) {
      lines.push(line)
      line = next
    }
    line += line === first || line === next ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}
