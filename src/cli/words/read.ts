import type { Invocation } from '../invocation.ts'
import { type Command, openTable, type Table } from '../table.ts'
import { globalsOf } from './globals.ts'
import {
  argumentsOf,
  globalOptions,
  keyOf,
  longName,
  type OptionSpec,
  operationsOf,
  optionsOf,
  shortName,
  takesValue,
} from './options.ts'

/**
 * Parses a fully valid command line. Anything else, an error or a question, is left to the full parser, which explains
 * it but takes longer to load than everything else.
 */
export function readWords(words: readonly string[]): Invocation | undefined {
  const plain = plainPlaces(words).map((place) => words[place] ?? '')
  const table = openTable(plain[0] ?? '')
  const command = commandIn(table, plain)
  const read = command && new WordReader(command, table).read(words)
  const positionals = command && read ? withTypes(command, table, read.positionals) : []
  if (!command || !read || !fits(command, table, positionals)) return undefined
  return {
    command,
    words,
    positionals,
    globals: globalsOf(Object.fromEntries(read.globals)),
    option: (name) => read.options.get(name),
  }
}

/** `@ TXT` names a record as one argument `'@ TXT'` does: where members of a list differ by type, a type joins its name. */
function withTypes(command: Command, table: Table, positionals: readonly string[]): readonly string[] {
  const last = operationsOf(command, table)[0]?.fields.find(({ option }) => option === command.args.at(-1))
  if (!last?.ref || !table.collections[last.ref]?.type) return positionals
  const before = command.args.length
  const joined: string[] = []
  for (const word of positionals) {
    const name = joined.at(-1) ?? ''
    const isType = joined.length >= before && /^[A-Z]+$/.test(word) && !name.includes(' ')
    joined.push(isType ? `${joined.pop()} ${word}` : word)
  }
  return joined
}

const isOption = (word: string): boolean => word.length > 1 && word.startsWith('-')

/** The positions of words that are neither options nor values of global ones. */
export function plainPlaces(words: readonly string[]): number[] {
  const places: number[] = []
  const globals = byName(globalOptions)
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!isOption(word)) places.push(at)
    else if (takesNext(globals.get(word))) at++
  }
  return places
}

/** The command that a line begins with, whatever follows. */
export const commandOf = (words: readonly string[], table: Table): Command | undefined =>
  commandIn(
    table,
    plainPlaces(words).map((place) => words[place] ?? ''),
  )

/** The command with the longest matching prefix. */
function commandIn({ commands }: Table, plain: readonly string[]): Command | undefined {
  const begins = ({ words }: Command): boolean => words.every((word, at) => plain[at] === word)
  return commands.filter(begins).sort((one, other) => other.words.length - one.words.length)[0]
}

const takesNext = (spec: OptionSpec | undefined): boolean => spec !== undefined && takesValue(spec)

const byName = (specs: readonly OptionSpec[]): Map<string, OptionSpec> =>
  new Map(specs.flatMap((spec) => [longName(spec), shortName(spec)].map((name) => [name ?? '', spec] as const)))

const globalNames = new Set(globalOptions)

type Typed = Map<string, unknown>

interface ParsedWords {
  readonly positionals: string[]
  readonly options: Typed
  readonly globals: Typed
}

class WordReader implements ParsedWords {
  readonly positionals: string[] = []
  readonly options: Typed = new Map()
  readonly globals: Typed = new Map()
  readonly #command: Command
  readonly #specs: Map<string, OptionSpec>
  /** How many words of the command were read. */
  #met = 0

  constructor(command: Command, table: Table) {
    this.#command = command
    this.#specs = byName([...globalOptions, ...optionsOf(command, table)])
  }

  /** Undefined if a word is not understood. */
  read(words: readonly string[]): ParsedWords | undefined {
    for (let at = 0; at < words.length; ) {
      const taken = this.#take(words[at] ?? '', words[at + 1])
      if (taken === 0) return undefined
      at += taken
    }
    return this.#met === this.#command.words.length ? this : undefined
  }

  /** Returns how many words were consumed: none, one, or an option with its value. */
  #take(word: string, next: string | undefined): number {
    if (!isOption(word)) return this.#takeWord(word)
    const at = word.startsWith('--') ? word.indexOf('=') : -1
    const spec = this.#specs.get(at < 0 ? word : word.slice(0, at))
    const isGlobal = spec !== undefined && globalNames.has(spec)
    if (!spec || spec.flags.includes('[') || (!isGlobal && this.#met < this.#command.words.length)) return 0
    if (!takesValue(spec)) return at < 0 ? this.#set(spec, !longName(spec).startsWith('--no-'), 1) : 0
    if (at >= 0) return this.#set(spec, word.slice(at + 1), 1)
    return next === undefined || isOption(next) ? 0 : this.#set(spec, next, 2)
  }

  #takeWord(word: string): number {
    if (this.#met === this.#command.words.length) this.positionals.push(word)
    else if (word !== this.#command.words[this.#met++]) return 0
    return 1
  }

  #set(spec: OptionSpec, value: string | boolean, words: number): number {
    if (spec.strict && !spec.choices?.includes(value as string)) return 0
    const typed = globalNames.has(spec) ? this.globals : this.options
    const key = keyOf(spec)
    typed.set(key, spec.repeat ? [...((typed.get(key) as unknown[]) ?? []), value] : value)
    return words
  }
}

function fits(command: Command, table: Table, positionals: readonly string[]): boolean {
  const places = argumentsOf(command, table)
  const isChoice = (word: string, at: number): boolean => places[at]?.choices?.includes(word) ?? true
  const fewEnough = places.at(-1)?.many || positionals.length <= places.length
  return fewEnough && positionals.every(isChoice)
}
