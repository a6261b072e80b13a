import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { root } from './run.ts'

const block = /<!-- session -->\n+```console\n([\s\S]*?)```\n+<!-- \/session -->/

test('the session in the README is the tour, as it was recorded', async () => {
  const { steps, typed } = await import(pathToFileURL(join(root, 'bin/tour.mjs')).href)
  const session = block.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  const lines = session.split('\n')
  expect(
    lines.filter((line) => line.startsWith('$ ')),
    'npm run session',
  ).toEqual(steps.map(typed))
  expect(lines.filter((line) => stripVTControlCharacters(line) !== line || line.length > 100)).toEqual([])
})
