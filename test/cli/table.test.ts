import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Command, columnsOf, table } from '../../src/cli/table.ts'
import { operationsOf, optionsOf } from '../../src/cli/words/options.ts'
import { Millis } from '../../src/contract/common.ts'
import { operationList } from '../../src/contract/index.ts'
import type { Declaration } from '../../src/contract/operation.ts'
import { inProcess } from './run.ts'
import { ids, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  stub = await startStub()
})
afterAll(() => stub.close())

const run = (words: readonly string[]) => inProcess(words, { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
const name = (words: readonly string[]): string => words.join(' ')

/** The files that examples read. */
const folder = mkdtempSync(join(tmpdir(), 'panel-examples-'))
const files: Readonly<Record<string, string>> = {
  'ses.key': 'relay-password-1\n',
  'filters.json': '{"items": []}',
  'shop.zone': 'www 300 IN A 192.0.2.9\n',
  'shop.crt': 'a certificate\n',
  'shop.key': 'a key\n',
  'chain.crt': 'certificates\n',
  'welcome.txt': 'Welcome to {{brand}}\n',
  'index.html': '<h1>Hello</h1>\n',
  'logo.png': 'a picture',
  'dump.sql.gz': 'a dump',
  'shop.sql.gz': '',
  part1: 'bytes',
  'id.pub': 'ssh-ed25519 AAAA alice@laptop\n',
}
for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
afterAll(() => rmSync(folder, { recursive: true }))

/** The words of an example after `panel`, as parsed by a shell, up to a pipe or a redirection. */
const wordsOf = (example: string): string[] => {
  const [command = ''] = example.replace(/^panel /, '').split(/ [|>] /)
  const words = [...command.matchAll(/'([^']*)'|"\$\(cat ([^)]*)\)"|"([^"]*)"|(\S+)/g)]
  return words.map(([, single, read, double, word = '']) => {
    if (read !== undefined) return files[read] ?? ''
    const [, at = '', file = ''] = /^(@?)(.*)$/.exec(word) ?? []
    return single ?? double ?? (file in files ? `${at}${join(folder, file)}` : word)
  })
}

/** A PKCS #12 file is opened by a password from standard input. */
const readsInput = (example: string): boolean => wordsOf(example).includes('-') || example.includes('.pfx ')

const confirms = (command: Command): boolean => operationsOf(command, table).some(({ confirm }) => confirm)
const yes = (command: Command): string[] =>
  confirms(command) && !command.examples[0]?.includes('--yes') ? ['--yes'] : []
/** Whether an operation can be sent without standard input. */
const isSent = (command: Command): boolean =>
  operationsOf(command, table).length > 0 &&
  !readsInput(command.examples[0] ?? '') &&
  !operationsOf(command, table).some(({ fields }) => fields.some(({ secret, required }) => secret && required))

describe('the command table', () => {
  test('has unique words', () => {
    const all = table.commands.map(({ words }) => name(words))
    expect(new Set(all).size).toBe(all.length)
  })

  test('covers every operation with words, and only existing ones', () => {
    const reached = table.commands.flatMap(({ operation, variant }) =>
      [operation, variant].filter((id) => id !== undefined),
    )
    expect(reached.filter((id) => !table.operations[id])).toEqual([])
  })

  test.each(table.commands)('$words has each option once', (command) => {
    for (const operation of operationsOf(command, table)) {
      const options = operation.fields.map(({ option }) => option)
      expect(new Set(options).size, options.join()).toBe(options.length)
    }
    expect(optionsOf(command, table).every(({ description }) => description !== '')).toBe(true)
  })

  test('has no option that takes a secret as its value', () => {
    const secrets = Object.values(table.operations).flatMap(({ fields }) => fields.filter(({ secret }) => secret))
    expect(secrets.length).toBeGreaterThan(0)
    for (const command of table.commands)
      for (const { flags } of optionsOf(command, table)) expect(flags).not.toMatch(/(password|secret)( <|=)/)
  })
})

/** The schema at a dotted path of a row or a card, without its optional wrapper. */
function leafAt(schema: z.ZodType | undefined, path: string): unknown {
  const leaf = path.split('.').reduce<unknown>((one, name) => {
    const full = bare(one)
    return full instanceof z.ZodObject ? full.shape[name] : undefined
  }, schema)
  return bare(leaf)
}

const bare = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? bare(schema.unwrap())
    : schema

/** One with a description is a copy of it. */
const isMillis = (leaf: unknown): boolean =>
  leaf === Millis || (leaf instanceof z.ZodType && leaf._zod.parent === Millis)

test('times in responses are printed as times', () => {
  const milliseconds = operationList.flatMap(({ id, answer, cli }: Declaration) => {
    const items = answer instanceof z.ZodObject ? answer.shape['items'] : undefined
    const item = items instanceof z.ZodArray ? items.element : undefined
    const kinds = new Map(columnsOf(table.operations[id]!).map(({ field, kind }) => [field, kind]))
    const times = (cli?.columns ?? []).filter((name) => isMillis(leafAt((item ?? answer) as z.ZodType, name)))
    return times.filter((name) => !['time', 'date'].includes(kinds.get(name) ?? '')).map((name) => `${id} ${name}`)
  })
  expect(milliseconds).toEqual([])
})

describe.each(table.commands)('panel $words', (command) => {
  test('prints help on standard output', async () => {
    const { code, stdout, stderr } = await run([...command.words, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`panel ${name(command.words)}`)
    expect(stdout).toContain('Examples:')
  })

  test('accepts its examples', async () => {
    const examples = command.examples.filter((example) => !readsInput(example))
    for (const example of examples.filter(() => command.operation || command.variant)) {
      const { code, stdout, stderr } = await run([...wordsOf(example), '--dry-run', '--output', 'json'])
      expect({ example, code, stderr }).toEqual({ example, code: 0, stderr: '' })
      for (const request of stdout.trim().split(/\n(?=\{)/))
        expect(JSON.parse(request)).toMatchObject({ path: expect.stringMatching(/^\/api\/v1\//) })
    }
  })

  test.runIf(isSent(command))('prints at most one JSON document, and no escape codes', async () => {
    const { code, stdout, stderr } = await run([
      ...wordsOf(command.examples[0] ?? ''),
      '--output',
      'json',
      ...yes(command),
    ])
    if (stdout !== '') JSON.parse(stdout)
    expect(stdout).not.toContain('\u001b')
    expect([0, 3], stderr).toContain(code)
  })
})

test('ids in the stub are ULIDs', () => {
  for (const id of Object.values(ids)) expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
})
