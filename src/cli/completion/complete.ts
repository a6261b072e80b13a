import { type Command, type Field, table } from '../table.ts'
import { data, oneLine } from '../terminal.ts'
import { topics } from '../words/help.ts'
import type { ArgumentSpec, OptionSpec } from '../words/options.ts'
import {
  argumentsOf,
  globalOptions,
  keyOf,
  longName,
  operationsOf,
  optionsOf,
  shortName,
  takesValue,
} from '../words/options.ts'
import type { Offer } from './offer.ts'

const help: OptionSpec = { flags: '-h, --help', description: 'Print help', group: '' }

/** Prints the completions of the last word, one per line: `word<TAB>meaning`. */
export async function complete(words: readonly string[]): Promise<void> {
  const offers = await offersFor(words).catch(() => [])
  data(offers.map(([word, meaning]) => `${word}\t${oneLine(meaning)}\n`).join(''))
  // Do not wait for pending work such as a DNS look-up. Nothing written can be lost.
  if (offers.length === 0) process.exit()
}

/** The completions of the last word, given the words before it. */
export async function offersFor(words: readonly string[]): Promise<Offer[]> {
  const last = words.at(-1) ?? ''
  const line = readLine(words)
  const option = line.awaits
  if (option) return matching(await valuesOf(option, line), last)
  const assigned = /^(--[\w-]+)=(.*)$/.exec(last)
  if (assigned) return assignedOffers(assigned[1] ?? '', assigned[2] ?? '', line)
  if (last.startsWith('-') && !line.literal) return matching(optionOffers(line), last)
  return matching(await wordOffers(line), last)
}

const matching = (offers: readonly Offer[], prefix: string): Offer[] =>
  offers.filter(([word]) => word.startsWith(prefix))

async function assignedOffers(name: string, prefix: string, line: CompletionLine): Promise<Offer[]> {
  const option = optionCalled(name, line.command)
  if (!option) return []
  return matching(await valuesOf(option, line), prefix).map(([word, meaning]) => [`${name}=${word}`, meaning])
}

interface CompletionLine {
  readonly command: Command | undefined
  /** Non-option words: the command's, then its arguments. */
  readonly words: readonly string[]
  /** The option whose value is expected next. */
  readonly awaits: OptionSpec | undefined
  readonly provided: ReadonlyMap<string, string>
  /** The typed part of the word being completed, after `--option=`. */
  readonly typed: string
  /** After `--` nothing is an option. */
  readonly literal: boolean
}

function readLine(line: readonly string[]): CompletionLine {
  const words: string[] = []
  const provided = new Map<string, string>()
  let awaits: OptionSpec | undefined
  let literal = false
  for (const word of line.slice(0, -1)) {
    if (awaits) {
      provided.set(longName(awaits), word)
      awaits = undefined
    } else if (literal || !word.startsWith('-')) words.push(word)
    else if (word === '--') literal = true
    else awaits = awaitedBy(word, commandOf(words))
  }
  const typed = line.at(-1)?.replace(/^--[\w-]+=/, '') ?? ''
  return { command: commandOf(words), words, awaits, provided, typed, literal }
}

function awaitedBy(word: string, command: Command | undefined): OptionSpec | undefined {
  const option = word.includes('=') ? undefined : optionCalled(word, command)
  return option && takesValue(option) ? option : undefined
}

/** The command with the longest matching prefix. */
const commandOf = (words: readonly string[]): Command | undefined =>
  table.commands
    .filter((command) => command.words.every((word, at) => words[at] === word))
    .sort((one, other) => other.words.length - one.words.length)[0]

const optionsFor = (command: Command | undefined): readonly OptionSpec[] => [
  ...(command ? optionsOf(command, table) : []),
  ...globalOptions,
  help,
]

const optionCalled = (name: string, command: Command | undefined): OptionSpec | undefined =>
  optionsFor(command).find((option) => longName(option) === name || shortName(option) === name)

const optionOffers = ({ command }: CompletionLine): Offer[] =>
  optionsFor(command)
    .filter((option) => !option.hidden)
    .map((option) => [longName(option), option.description])

async function wordOffers(line: CompletionLine): Promise<Offer[]> {
  if (line.words[0] === 'help')
    return line.words.length === 1 ? [...nextWords([]), ...Object.keys(topics).map(topicOffer)] : []
  if (!line.command) return nextWords(line.words)
  const place = line.words.length - line.command.words.length
  const places = argumentsOf(line.command, table)
  const argument = places[place] ?? (places.at(-1)?.many ? places.at(-1) : undefined)
  const typed = new Set(line.words.slice(line.command.words.length))
  const values = (argument ? await valuesOf(argument, line) : []).filter(
    ([word]) => !argument?.many || !typed.has(word),
  )
  return place === 0 ? [...values, ...nextWords(line.words)] : values
}

const topicOffer = (topic: string): Offer => [topic, 'Help topic']

/** The words that can follow: areas, then commands. */
function nextWords(before: readonly string[]): Offer[] {
  const offers = new Map<string, string>()
  for (const { words, summary } of table.commands) {
    if (words.length <= before.length || !before.every((word, at) => words[at] === word)) continue
    const word = words[before.length] ?? ''
    const isComplete = words.length === before.length + 1
    if (!offers.has(word)) offers.set(word, isComplete ? summary : (table.areas[word] ?? ''))
  }
  if (before.length === 0) offers.set('help', 'Help for a command or a topic')
  return [...offers]
}

/** A variant may allow other choices: use those of the operation selected by `--account`. */
function choicesOf(
  spec: OptionSpec | ArgumentSpec,
  { command, provided }: CompletionLine,
): readonly string[] | undefined {
  const [plain, ...variants] = command ? operationsOf(command, table) : []
  const operation = provided.has('--account') ? (variants[0] ?? plain) : plain
  const name = 'flags' in spec ? keyOf(spec) : spec.name
  return operation?.fields.find(({ option }) => option === name)?.choices ?? spec.choices
}

async function valuesOf(spec: OptionSpec | ArgumentSpec, line: CompletionLine): Promise<Offer[]> {
  const [choices, { offers }] = [choicesOf(spec, line), spec]
  if (choices) return choices.map((choice) => [choice, ''])
  if (offers === 'events') return table.events.map((type) => [type, ''])
  if (offers === 'contexts') {
    const { contextOffers } = await import('../target/contexts/offers.ts')
    return contextOffers()
  }
  if (!offers) return []
  const { namesIn } = await import('./live.ts')
  return namesIn(twinCollection(offers, line), { ...line, places: placesOf(line) })
}

/** The positional arguments so far, by path parameter. */
function placesOf({ command, words }: CompletionLine): Record<string, string> {
  if (!command) return {}
  const fields = operationsOf(command, table)[0]?.fields ?? []
  const pairs = words.slice(command.words.length).map((word, at) => {
    const field = fields.find(({ option, place }) => place === 'path' && option === command.args[at])
    return [field?.name ?? '', word]
  })
  return Object.fromEntries(pairs)
}

/** With `--account`, completes members of the account's list. */
function twinCollection(collection: string, { command, provided }: CompletionLine): string {
  if (!command?.variant || !provided.has('--account')) return collection
  const variant = operationsOf(command, table).at(-1)
  const listOf = ({ ref, offers }: Field): string | undefined => ref ?? offers
  const option = operationsOf(command, table)[0]?.fields.find((field) => listOf(field) === collection)?.option
  const field = variant?.fields.find((one) => one.option === option)
  return (field && listOf(field)) ?? collection
}
