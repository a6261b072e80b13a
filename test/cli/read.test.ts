import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Invocation } from '../../src/cli/invocation.ts'
import { type Command, table } from '../../src/cli/table.ts'
import {
  argumentsOf,
  globalOptions,
  keyOf,
  longName,
  type OptionSpec,
  optionsOf,
  shortName,
  takesValue,
} from '../../src/cli/words/options.ts'
import { buildProgram } from '../../src/cli/words/program.ts'
import { readWords } from '../../src/cli/words/read.ts'
import { runs } from '../fuzz.ts'
import { inProcess } from './run.ts'

/** An invocation as plain data. */
function plain(invocation: Invocation): object {
  const { command, positionals, globals } = invocation
  const keys = optionsOf(command, table).map(keyOf)
  const options = keys.filter((key) => invocation.option(key) !== undefined)
  return {
    words: command.words,
    positionals,
    globals,
    options: Object.fromEntries(options.map((key) => [key, invocation.option(key)])),
  }
}

/** How the explaining parser reads the words; undefined if it refuses. */
async function explained(words: readonly string[]): Promise<object | undefined> {
  let output: object | undefined
  const keep = async (invocation: Invocation): Promise<void> => {
    output = plain(invocation)
  }
  await buildProgram(words, keep)
    .parseAsync([...words], { from: 'user' })
    .catch(() => undefined)
  return output
}

const read = (words: readonly string[]): object | undefined => {
  const invocation = readWords(words)
  return invocation && plain(invocation)
}

const text = fc.constantFrom('alice', 'a.example', '-', '5', 'a=b', '', 'x y', '01K9ZQ5T3M8V4X7C2B6N1D0FGH')

/** One option with its value, in one of the ways to type it. */
const optionWords = (spec: OptionSpec): fc.Arbitrary<string[]> => {
  if (!takesValue(spec)) return fc.constant([longName(spec)])
  const value = spec.choices ? fc.constantFrom(...spec.choices) : text
  const [long, short] = [longName(spec), shortName(spec)]
  return fc
    .tuple(value, fc.constantFrom('apart', 'joined', 'short'))
    .map(([typed, how]) => (how === 'joined' ? [`${long}=${typed}`] : [how === 'short' && short ? short : long, typed]))
}

const some = (specs: readonly OptionSpec[]): fc.Arbitrary<string[][]> =>
  fc.subarray([...specs], { maxLength: 4 }).chain((chosen) => fc.tuple(...chosen.map(optionWords)))

/** Arguments keep their order, with options anywhere between them. */
function inPlace(rest: readonly (string[] | undefined)[], input: readonly string[]): string[] {
  const left = [...input]
  return rest.flatMap((option) => option ?? left.shift()!)
}

/** A valid line of a command, its options in any order and position. */
function rightLine(command: Command): fc.Arbitrary<string[]> {
  const own = optionsOf(command, table).filter(({ flags }) => !flags.includes('['))
  const places = argumentsOf(command, table)
  const args = places.map(({ choices }) => (choices ? fc.constantFrom(...choices) : fc.constantFrom('alice', '-', 'b')))
  return fc
    .tuple(some(globalOptions), some([...own, ...globalOptions]), fc.tuple(...args))
    .chain(([before, after, input]) =>
      fc
        .shuffledSubarray([...after, ...input.map(() => undefined)], { minLength: after.length + input.length })
        .map((rest) => [...before.flat(), ...command.words, ...inPlace(rest, input)]),
    )
}

describe.each(table.commands)('panel $words', (command) => {
  test('reads the command as the parser reads it', { timeout: 30_000 }, () =>
    fc.assert(
      fc.asyncProperty(rightLine(command), async (words) => {
        const meant = await explained(words)
        expect(meant, words.join(' ')).toBeDefined()
        expect(read(words)).toEqual(meant)
      }),
      runs(10),
    ),
  )
})

test('invalid input is left to the parser, or read the same way', { timeout: 60_000 }, () => {
  const noise = fc.constantFrom(
    ...['--', '-', '--help', '-h', '-V', '--nonsense', '-x', '--output', '-oj', '-qo', '--columns', '--no-wait=1'],
    ...['help', 'accounts', 'list', 'alice', '--output=xml', '-o=json', '--quiet=1', '--password', 'hunter2', ''],
  )
  const line = fc
    .constantFrom(...table.commands)
    .chain((command) => fc.tuple(rightLine(command), noise, fc.nat(), fc.boolean()))
    .map(([words, word, at, replaces]) => words.toSpliced(at % (words.length + 1), replaces ? 1 : 0, word))
  return fc.assert(
    fc.asyncProperty(line, async (words) => {
      const found = read(words)
      if (found) expect(found, words.join(' ')).toEqual(await explained(words))
    }),
    runs(500),
  )
})

test.each([[[]], [['--help']], [['accounts']], [['accounts', 'lst']], [['accounts', 'list', '--serch', 'x']]])(
  'explains %j',
  (words) => {
    expect(readWords(words)).toBeUndefined()
  },
)

test('an invalid format in the environment is an error', async () => {
  const { code, stderr } = await inProcess(['accounts', 'list'], { PANEL_OUTPUT: 'xml' })
  expect(code).toBe(2)
  expect(stderr).toContain('PANEL_OUTPUT must be one of')
})
