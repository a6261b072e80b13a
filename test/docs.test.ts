import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { readWords } from '../src/cli/words/read.ts'
import { ensureBuilt } from './cli/run.ts'

beforeAll(ensureBuilt)

const files = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The lines of `panel` in the shell blocks of a page. */
function commandsIn(file: string): string[] {
  const blocks = [...readFileSync(file, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text)
  const lines = blocks.flatMap((text) => text.replace(/\\\n\s*/g, ' ').split('\n'))
  return lines.flatMap((line) => /(?:^|[|] |&& |sudo )panel ([a-z][^|&;<>#]*)/.exec(line)?.[1]?.trim() ?? [])
}

/** Words as the shell splits them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))

describe.each(files)('%s', (file) => {
  test('types only commands and options that exist', () => {
    const invalid = commandsIn(file).filter((line) => readWords(wordsOf(line)) === undefined)
    expect(invalid).toEqual([])
  })

  test('links only to pages that exist', () => {
    const folder = file.startsWith('docs/') ? 'docs/' : ''
    const links = [...readFileSync(file, 'utf8').matchAll(/\]\(([\w./-]+)(?:#[\w-]+)?\)/g)].map(([, to = '']) => to)
    expect(links.filter((to) => !existsSync(folder + to))).toEqual([])
  })
})

test('the index names every page', () => {
  const index = readFileSync('docs/README.md', 'utf8')
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md')
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([])
})
