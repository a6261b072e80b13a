import type { Command, Table } from '../cli/table.ts'
import { environment } from '../cli/words/help.ts'
import {
  argumentsOf,
  displayedFlags,
  globalOptions,
  type OptionSpec,
  optionsOf,
  usageOf,
} from '../cli/words/options.ts'
import { exitMeanings } from '../shared/exit.ts'
import { contractPage } from './man-contract.ts'
import { bold, examples, fileOf, item, page, paragraphs, references, section } from './roff.ts'

const pageName = (words: readonly string[]): string => ['panel', ...words].join('-')

const options = (specs: readonly OptionSpec[]): string[] =>
  specs
    .filter(({ hidden, folded }) => !hidden && !folded)
    .flatMap((option) => item(displayedFlags(option), option.description))

const exits = exitMeanings.flatMap(([code, meaning]) => item(String(code), meaning))
const variables = environment.flatMap(([name, meaning]) => item(name, meaning))

const related: Readonly<Record<string, readonly string[]>> = {
  serve: ['panel-contract', 'panel-service', 'panel-backup', 'panel-doctor'],
  api: ['panel-contract'],
  backup: ['panel-restore'],
  restore: ['panel-backup'],
  doctor: ['panel-serve'],
}

/** What the server needs said beside its options. */
const serving = [
  section('FILES', [
    ...item('<data-dir>/panel.db', 'The store, with its log in panel.db-wal while the server runs.'),
    ...item('<data-dir>/secret.key', 'Needed to decrypt the secrets in the store. Keep it with your backups.'),
    ...item('<data-dir>/tls/', 'The self-signed certificate of the server, and its key.'),
    ...item('<data-dir>/panel.sock', 'The local socket, mode 0600. Any process that can open it acts as root.'),
    ...item('<data-dir>/host/', 'The files that jobs write: the layout of a host, in a folder of its own.'),
  ]),
  section('SIGNALS', [
    ...item('SIGTERM, SIGINT', 'Finish requests in progress, requeue running jobs, and stop.'),
    ...item('SIGHUP', 'Reload the certificate.'),
  ]),
]

function commandPage(command: Command, table: Table): string {
  const [area = '', ...rest] = command.words
  const places = argumentsOf(command, table).flatMap(({ name, description }) => item(name, description))
  return page(pageName(command.words), command.summary, [
    section('SYNOPSIS', [bold(usageOf(command, table))]),
    section('DESCRIPTION', paragraphs(command.description ?? `${command.summary}.`)),
    section('ARGUMENTS', places),
    section('OPTIONS', options(optionsOf(command, table))),
    section('GLOBAL OPTIONS', options(globalOptions)),
    ...(area === 'serve' ? serving : []),
    section('EXAMPLES', examples(command.examples)),
    section('SEE ALSO', references(['panel', ...(rest.length > 0 ? [pageName([area])] : (related[area] ?? []))])),
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
  const files = item('<data-dir>/panel.sock', 'Socket of the local server. Any process that can open it acts as root.')
  return page('panel', 'web-hosting control panel', [
    section('SYNOPSIS', [bold('panel <area> <command> [arguments] [options]')]),
    section('DESCRIPTION', paragraphs('Runs a hosting server (panel serve) and manages it, locally or remotely.')),
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
        [...areas.map(([area]) => area), ...single.map(({ words }) => words[0] ?? ''), 'contract'].map((word) =>
          pageName([word]),
        ),
      ),
    ),
  ])
}

/** File name to manual page: the program, each area, each command, and the contract. */
export function manualPages(table: Table): ReadonlyMap<string, string> {
  const pages = new Map([
    ['panel', mainPage(table)],
    ['panel-contract', contractPage()],
    ...Object.keys(table.areas).map((area) => [pageName([area]), areaPage(area, table)] as const),
    ...table.commands.map((command) => [pageName(command.words), commandPage(command, table)] as const),
  ])
  const files = [...pages].map(([name, text]) => [fileOf(name), text] as const)
  return new Map(files.sort(([first], [second]) => (first < second ? -1 : 1)))
}
