import { Argument, Command as Commander, CommanderError, Help, Option } from 'commander'
import { exit } from '../../shared/exit.ts'
import type { Invocation } from '../invocation.ts'
import { page } from '../output/pager.ts'
import { version } from '../root.ts'
import { type Command, operationOf, table } from '../table.ts'
import { data } from '../terminal.ts'
import { globalsOf, wantsJson } from './globals.ts'
import { byGroup, groupOf } from './groups.ts'
import { topics } from './help.ts'

import {
  argumentsOf,
  displayedFlags,
  globalOptions,
  keyOf,
  longName,
  type OptionSpec,
  optionsOf,
  usageOf,
} from './options.ts'
import { helpWidth, wrapped } from './wrap.ts'

/** A comma-separated list, wrapped and indented. */
function listed(words: readonly string[], indent = '  '): string {
  const width = helpWidth() - 2
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + word.length + 2 < width) lines[lines.length - 1] = `${line}, ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line},\n` : `${line}\n`)).join('')
}

/** The end of a command's help: global options, columns, examples. */
function notesOn(command: Command): string {
  const operation = command.operation ?? command.variant
  const shape = operation ? table.shapes[operationOf(operation).shape ?? ''] : undefined
  const columns = shape ? `\nColumns:\n${listed(shape.map(({ field }) => field))}` : ''
  const examples = command.examples.map((example) => `  ${example}`).join('\n')
  return `${globalNote()}${columns}\nExamples:\n${wrapped(examples)}`
}

/** The same for every command; only `panel --help` describes them in full. */
const globalNote = (): string => `\nGlobal options (panel --help):\n${listed(globalOptions.map(longName))}`

export type Run = (invocation: Invocation) => Promise<void>

const description = 'Web-hosting control panel: accounts, sites, mail, databases and the server itself.'
const epilogue = `
Which server: --context or --data-dir, else the environment, else the current context, else the local socket (panel whoami).

More help: ${Object.keys(topics)
  .map((topic) => `panel help ${topic}`)
  .join(', ')}`

/** The command tree. Only the typed command is built in full: the others have a name and a summary. */
export function buildProgram(words: readonly string[], run: Run): Commander {
  const program = new Commander('panel')
    .description(description)
    .option('-V, --version', 'Print the version')
    .on('option:version', printVersion)
    .exitOverride()
    // The reporter prints all errors in one form.
    .configureOutput({
      writeOut: page,
      outputError: () => undefined,
      ...(wantsJson(words) && { writeErr: () => undefined }),
    })
    .configureHelp({ optionTerm: termOf, minWidthToWrap: 20, formatHelp })
    .usage('<command> [arguments] [options]')
    .addHelpCommand(
      new Commander('help')
        .argument('[command...]')
        .description('Help for a command or a topic')
        .helpGroup(groupOf('help')),
    )
    .helpOption('-h, --help', 'Print help')
    .addHelpText('after', () => wrapped(epilogue))
  for (const option of globalOptions) program.addOption(commanderOption(option))
  for (const command of byGroup(commandsFor(words))) addCommand(program, command, words, run)
  return program
}

/** Of the whole program: commands first, those that most need at the top; options and examples at the end. */
function formatHelp(command: Commander, helper: Help): string {
  const text = Help.prototype.formatHelp.call(helper, command, helper)
  if (command.parent) return text
  const parts = text.trimEnd().split('\n\n')
  const isOptions = (part: string): boolean => /^(Global o|O)ptions:/.test(part)
  const [others, options] = [parts.filter((part) => !isOptions(part)), parts.filter(isOptions)]
  return `${[...others, examplesText, ...options].join('\n\n')}\n`
}

const examplesText = `Examples:
  panel accounts create alice --domain alice.example
  panel domains list -a alice
  panel jobs list --status failed`

/** Reads package.json only when needed. */
function printVersion(): never {
  data(`${version()}\n`)
  throw new CommanderError(exit.ok, 'commander.version', '')
}

/** The commands whose words were all typed; all if none match, for help and suggestions. */
function commandsFor(words: readonly string[]): readonly Command[] {
  const typed = new Set(words)
  const meant = table.commands.filter((command) => command.words.every((word) => typed.has(word)))
  return meant.length > 0 ? meant : table.commands
}

function addCommand(program: Commander, command: Command, words: readonly string[], run: Run): void {
  const parent = command.words.slice(0, -1).reduce(childOf, program)
  const name = command.words.at(-1) ?? ''
  if (parent !== program && !words.includes(parent.name())) return
  const built = parent.command(name).summary(command.summary).description(textOf(command))
  if (parent === program) built.helpGroup(groupOf(name))
  if (words.includes(name)) complete(built, command, words, run)
}

/** The group with this name, created on first use. */
function childOf(parent: Commander, name: string): Commander {
  const found = parent.commands.find((child) => child.name() === name)
  return found ?? group(parent, name)
}

/** Summaries of groups within an area. */
const subgroups: Readonly<Record<string, string>> = {
  'dns-peer': 'Name servers elsewhere that take all zones from this server',
  forwarders: 'Addresses whose mail goes on to others',
  autoresponder: 'Automatic replies of a mailbox',
  filters: 'Rules that sort the mail of a mailbox',
  queue: 'Mail that waits for delivery',
  spam: 'What happens to spam',
  databases: 'Databases, their size and who may use them',
  hosts: 'Hosts that database users may connect from',
  users: 'Database users and their passwords',
  channels: 'Where alerts go: addresses and chats',
  uploads: 'Archives that are sent in parts, to be imported',
}

const group = (parent: Commander, name: string): Commander =>
  parent
    .command(name)
    .description(table.areas[name] ?? subgroups[name] ?? name)
    .helpGroup(parent.parent ? 'Commands:' : groupOf(name))
    .usage('<command> [arguments] [options]')
    .helpCommand('help [command...]', 'Help for a command')
    .addHelpText('after', globalNote)

const textOf = ({ summary, description }: Command): string =>
  description ? `${summary}.\n\n${description}` : `${summary}.`

function complete(built: Commander, command: Command, words: readonly string[], run: Run): void {
  const specs = optionsOf(command, table)
  const places = argumentsOf(command, table)
  const read = asRead(specs)
  for (const { option } of read) {
    // Positional arguments are listed there.
    if (places.some(({ name }) => name === option.long?.slice(2))) option.hideHelp()
    built.addOption(option)
  }
  for (const argument of places) {
    const place = new Argument(`[${argument.name}${argument.many ? '...' : ''}]`, argument.description)
    built.addArgument(argument.choices ? place.choices([...argument.choices]) : place)
  }
  built.usage(usageOf(command, table).slice(`panel ${command.words.join(' ')} `.length))
  built.addHelpText('after', () => notesOn(command))
  built.action(() => run(invocationOf(built, command, read, words)))
}

/** How the help lists an option. */
const terms = new WeakMap<Option, string>()
const termOf = (option: Option): string => terms.get(option) ?? option.flags

function commanderOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.description).helpGroup(spec.group)
  if (spec.hidden || spec.folded) option.hideHelp()
  terms.set(option, displayedFlags(spec))
  if (spec.repeat) option.argParser<string[]>((value, earlier) => [...(earlier ?? []), value])
  else if (spec.strict) option.choices([...(spec.choices ?? [])])
  return option
}

interface ParsedProgram {
  readonly spec: OptionSpec
  readonly option: Option
}

const asRead = (specs: readonly OptionSpec[]): ParsedProgram[] =>
  specs.map((spec) => ({ spec, option: commanderOption(spec) }))

function invocationOf(
  built: Commander,
  command: Command,
  read: readonly ParsedProgram[],
  words: readonly string[],
): Invocation {
  const typed = typedIn(
    read,
    (name) => built.getOptionValueSource(name),
    (name) => built.getOptionValue(name),
  )
  const provided = built.optsWithGlobals()
  const globals = typedIn(
    asRead(globalOptions),
    (name) => built.getOptionValueSourceWithGlobals(name),
    (name) => provided[name],
  )
  return {
    command,
    words,
    positionals: built.args,
    globals: globalsOf(Object.fromEntries(globals)),
    option: (name) => typed.get(name),
  }
}

/** The typed options, by long name without dashes. */
function typedIn(
  read: readonly ParsedProgram[],
  source: (name: string) => string | undefined,
  value: (name: string) => unknown,
): Map<string, unknown> {
  const provided = read.filter(({ option }) => source(option.attributeName()) === 'cli')
  return new Map(provided.map(({ spec, option }) => [keyOf(spec), value(option.attributeName())]))
}
