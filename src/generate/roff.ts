/** Of the release the pages belong to. */
const date = '2026-11-20'
const lineLength = 78

/** Text as roff prints it literally. */
const literal = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll('’', '\\(cq')
    .replaceAll('“', '\\(lq')
    .replaceAll('”', '\\(rq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')

/** A line of literal text; at its start a dot would be a macro. */
export const escaped = (text: string): string => literal(text).replace(/^\./, '\\&.')

/** Running text, broken into lines. */
export function prose(text: string): string {
  const lines: string[] = []
  for (const word of literal(text).split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + word.length < lineLength) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => line.replace(/^\./, '\\&.')).join('\n')
}

export const bold = (text: string): string => `\\fB${escaped(text)}\\fR`
export const section = (name: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? [`.SH ${name}`, ...lines] : []
export const subsection = (name: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? [`.SS ${escaped(name)}`, ...lines] : []
export const item = (term: string, text: string): string[] => ['.TP', bold(term), prose(text || term)]
export const paragraphs = (text: string): string[] =>
  text.split('\n\n').flatMap((part, at) => (at === 0 ? [prose(part)] : ['.PP', prose(part)]))

/** Pages that are not about user commands: one describes a daemon, one an interface. */
const sections: Readonly<Record<string, number>> = { 'panel-serve': 8, 'panel-contract': 7 }
const sectionOf = (name: string): number => sections[name] ?? 1

/** The file a page is in. */
export const fileOf = (name: string): string => `${name}.${sectionOf(name)}`

const reference = (name: string): string => `.BR ${name.replaceAll('-', '\\-')} (${sectionOf(name)})`

/** `panel-accounts(1), panel-jobs(1)`, one macro a line. */
export const references = (names: readonly string[]): string[] =>
  names.map((name, at) => `${reference(name)}${at === names.length - 1 ? '' : ' ,'}`)

const title = (name: string): string =>
  `.TH ${name.toUpperCase().replaceAll('-', '\\-')} ${sectionOf(name)} "${date}" "panel" "Panel Manual"`

export const page = (name: string, summary: string, parts: readonly string[][]): string =>
  `${[title(name), ...section('NAME', [`${escaped(name)} \\-`, prose(summary)]), ...parts.flat()].join('\n')}\n`

/** Lines as they are typed. */
export function examples(lines: readonly string[]): string[] {
  const texts = lines.flatMap((line) => ['.PP', '.nf', '.RS', escaped(line), '.RE', '.fi'])
  return texts.slice(1)
}
