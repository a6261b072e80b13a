import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { planOf, requestOf } from '../../../src/cli/request/plan.ts'
import { commandTable } from '../../../src/generate/table.ts'
import { type CommandText, sayPanel } from '../../../src/shared/command-line.ts'
import type { Command, Operation } from '../../../src/shared/commands.ts'
import { at, put } from '../../../src/shared/dotted-keys.ts'
import { isNewestFirst } from '../../../src/shared/newest-first.ts'
import { inProcess } from '../../cli/run.ts'
import { type Input, inputsOf } from './inputs.ts'

const table = commandTable()
const folder = mkdtempSync(join(tmpdir(), 'panel-say-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** There is no server: names stay names. */
const env = { PANEL_URL: 'http://127.0.0.1:9', PANEL_TOKEN: 'none', PANEL_NO_INPUT: '1', PANEL_OUTPUT: 'json' }

/** The words of many lines, as parsed by a real shell. */
function shellWords(lines: readonly string[]): string[][] {
  const script = `panel() { printf '%s\\0' "$@"; printf '\\001\\0'; }\n${lines.join('\n')}\n`
  const { stdout, stderr, status } = spawnSync('sh', [], { input: script, maxBuffer: 2 ** 28 })
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
  const words = stdout.toString().split('\0').slice(0, -1)
  const commands: string[][] = [[]]
  for (const word of words)
    if (word === '\u0001') commands.push([])
    else commands.at(-1)!.push(word)
  return commands.slice(0, -1)
}

/** The screen's request, without what the command line adds itself. */
function expected(row: Operation, { params, query, body }: Input): unknown {
  const requests: Record<string, unknown> = { ...(isNewestFirst(row, query) && { order: 'asc' }), ...query }
  for (const { name, place, internal } of row.fields) if (internal && place === 'query') delete requests[name]
  const sent = structuredClone(body)
  const implied = row.implies
  if (implied && at(sent, implied.field) !== undefined && at(sent, implied.sets) === undefined)
    put(sent!, implied.sets, implied.to)
  for (const { name, secret } of row.fields)
    if (secret && typeof at(sent, name) === 'string') put(sent!, name, '[secret]')
  return wired(planOf(requestOf(row, { params, query: requests as never, body: sent }, 'key')))
}

/** As sent: an address contains only text. */
function wired(plan: unknown): unknown {
  const { query = {}, ...rest } = JSON.parse(JSON.stringify(plan)) as { query?: object }
  return { ...rest, query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])) }
}

const commanded = Object.values(table.operations).filter(({ id }) =>
  table.commands.some(({ operation, variant }) => operation === id || variant === id),
)

/** If only ids, numbers and choices are given, a few examples are as good as many. */
const runsOf = ({ fields }: Operation): number =>
  fields.some(
    ({ type, ref, offers, choices, internal }) => type === 'string' && !ref && !offers && !choices && !internal,
  )
    ? 200
    : 20

describe('command of a screen', () => {
  test.each(commanded.map((row) => [row.id, row] as const))('sends what the screen sends: %s', async (id, row) => {
    const inputs = fc.sample(inputsOf(row), { numRuns: runsOf(row), seed: 7 })
    const output = inputs.flatMap((input) => {
      const one = sayPanel(table, { operation: id, ...input }) as CommandText
      expect(one.complete, one.line).toBe(true)
      return one.copyable ? [{ input, command: one }] : []
    })
    const words = shellWords(output.map((one) => one.command.line))
    for (const [index, { input, command: one }] of output.entries()) {
      const { code, stdout, stderr } = await inProcess(dryRun(words[index]!, one), env)
      expect({ code, stderr }, one.line).toEqual({ code: 0, stderr: '' })
      expect(wired(JSON.parse(stdout)), one.line).toEqual(expected(row, input))
    }
  })
})

/** With the file that the page offers. */
function dryRun(words: readonly string[], { data }: CommandText): string[] {
  const file = join(folder, 'changes.json')
  if (data !== undefined) writeFileSync(file, data)
  const input =
    data === undefined
      ? -1
      : words.findIndex((word, index) => words[index - 1] === '--data' && word === '@changes.json')
  const filled = words.map((word, index) => (index === input ? `@${file}` : word))
  const count = commandOf(words).words.length
  return [...filled.slice(0, count), '--dry-run', ...filled.slice(count)]
}

function commandOf(words: readonly string[]): Command {
  const begun = table.commands.filter((one) => one.words.every((word, index) => words[index] === word))
  return begun.sort((one, other) => other.words.length - one.words.length)[0]!
}
