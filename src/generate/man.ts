import { environment } from '../cli/help.ts'
import { argumentsOf, globalOptions, type OptionSpec, optionsOf, shownFlags, usageOf } from '../cli/options.ts'
import type { Command, Table } from '../cli/table.ts'
import { exitMeanings } from '../shared/exit.ts'

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
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')

/** A line of literal text; at its start a dot would be a macro. */
const escaped = (text: string): string => literal(text).replace(/^\./, '\\&.')

/** Running text, broken into lines. */
function prose(text: string): string {
  const lines: string[] = []
  for (const word of literal(text).split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + word.length < lineLength) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => line.replace(/^\./, '\\&.')).join('\n')
}

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`
const title = (name: string): string =>
  `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "${date}" "panel" "Panel Manual"`
const section = (name: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? [`.SH ${name}`, ...lines] : []
const item = (term: string, text: string): string[] => ['.TP', bold(term), prose(text || term)]
const paragraphs = (text: string): string[] =>
  text.split('\n\n').flatMap((part, at) => (at === 0 ? [prose(part)] : ['.PP', prose(part)]))

const pageName = (words: readonly string[]): string => ['panel', ...words].join('-')
const reference = (name: string): string => `.BR ${name.replaceAll('-', '\\-')} (1)`

/** `panel-accounts(1), panel-jobs(1)`, one macro a line. */
const references = (names: readonly string[]): string[] =>
  names.map((name, at) => `${reference(name)}${at === names.length - 1 ? '' : ' ,'}`)

const options = (specs: readonly OptionSpec[]): string[] =>
  specs
    .filter(({ hidden, folded }) => !hidden && !folded)
    .flatMap((option) => item(shownFlags(option), option.description))

const page = (name: string, summary: string, sections: readonly string[][]): string =>
  `${[title(name), ...section('NAME', [`${escaped(name)} \\-`, prose(summary)]), ...sections.flat()].join('\n')}\n`

const exits = exitMeanings.flatMap(([code, meaning]) => item(String(code), meaning))
const variables = environment.flatMap(([name, meaning]) => item(name, meaning))

function examples(lines: readonly string[]): string[] {
  const texts = lines.flatMap((line) => ['.PP', '.nf', '.RS', escaped(line), '.RE', '.fi'])
  return texts.slice(1)
}

function commandPage(command: Command, table: Table): string {
  const [area = '', ...rest] = command.words
  const places = argumentsOf(command, table).flatMap(({ name, description }) => item(name, description))
  return page(pageName(command.words), command.summary, [
    section('SYNOPSIS', [bold(usageOf(command, table))]),
    section('DESCRIPTION', paragraphs(command.description ?? `${command.summary}.`)),
    section('ARGUMENTS', places),
    section('OPTIONS', options(optionsOf(command, table))),
    section('GLOBAL OPTIONS', options(globalOptions)),
    section('EXAMPLES', examples(command.examples)),
    section('SEE ALSO', references(rest.length > 0 ? ['panel', pageName([area])] : ['panel'])),
  ])
}

function areaPage(area: string, table: Table): string {
  const commands = table.commands.filter(({ words }) => words[0] === area)
  return page(pageName([area]), table.areas[area] ?? area, [
    section('SYNOPSIS', [bold(`panel ${area} <command> [options]`)]),
    section(
      'COMMANDS',
      commands.flatMap(({ words, summary }) => item(words.join(' '), summary)),
    ),
    section('GLOBAL OPTIONS', options(globalOptions)),
    section('SEE ALSO', references(['panel', ...commands.map(({ words }) => pageName(words))])),
  ])
}

function mainPage(table: Table): string {
  const single = table.commands.filter(({ words }) => words.length === 1)
  const areas = Object.entries(table.areas)
  const files = item('<data-dir>/panel.sock', 'Socket of the local server. Whoever can open it is root.')
  return page('panel', 'web-hosting control panel', [
    section('SYNOPSIS', [bold('panel <area> <command> [arguments] [options]')]),
    section('DESCRIPTION', paragraphs('Runs a hosting server (panel serve) and manages it, here or from afar.')),
    section(
      'AREAS',
      areas.flatMap(([area, summary]) => item(area, summary)),
    ),
    section(
      'COMMANDS',
      single.flatMap(({ words, summary }) => item(words.join(' '), summary)),
    ),
    section('GLOBAL OPTIONS', options(globalOptions)),
    section('ENVIRONMENT', variables),
    section('FILES', files),
    section('EXIT STATUS', exits),
    section(
      'SEE ALSO',
      references(
        [...areas.map(([area]) => area), ...single.map(({ words }) => words[0] ?? '')].map((word) => pageName([word])),
      ),
    ),
  ])
}

/** File name to manual page: the program, each area, each command. */
export function manualPages(table: Table): ReadonlyMap<string, string> {
  const pages = [
    ['panel.1', mainPage(table)] as const,
    ...Object.keys(table.areas).map((area) => [`${pageName([area])}.1`, areaPage(area, table)] as const),
    ...table.commands.map((command) => [`${pageName(command.words)}.1`, commandPage(command, table)] as const),
  ]
  return new Map(pages.sort(([first], [second]) => (first < second ? -1 : 1)))
}
