import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { unifiedHunks } from '../../src/host/diff/unified.ts'

const hasPatch = spawnSync('patch', ['--version']).status === 0
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('')
const numbers = lines(40, String)

const pairs: [string, string, string][] = [
  ['one line', numbers, numbers.replace('20\n', 'twenty\n')],
  ['two far apart', numbers, numbers.replace('2\n', '').replace('35\n', '35\n35.5\n')],
  ['two close together', numbers, numbers.replace('10\n', 'ten\n').replace('14\n', 'fourteen\n')],
  ['lines that moved', numbers, numbers.replace('7\n8\n', '').replace('30\n', '30\n7\n8\n')],
  ['a text that was empty', '', 'one\ntwo\n'],
  ['a text that becomes empty', 'one\ntwo\n', ''],
  ['the end', numbers, `${numbers}more\n`],
  ['very many lines', lines(1500, (n) => `a${n}`), lines(1500, (n) => `b${n}`)],
]

test('shows three lines around each change', () => {
  expect(unifiedHunks('a\nb\nc\nd\ne\nf\ng\nh\n', 'a\nb\nc\nd\nE\nf\ng\nh\n')).toEqual([
    '@@ -2,7 +2,7 @@',
    ...[' b', ' c', ' d', '-e', '+E', ' f', ' g', ' h'],
  ])
  expect(unifiedHunks('a\n', 'a\n')).toEqual([])
})

test.runIf(hasPatch).each(pairs)('produces a diff that patch applies: %s', (_, before, after) => {
  const dir = mkdtempSync(join(tmpdir(), 'panel-diff-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'before'), before)
  const input = `${['--- before', '+++ after', ...unifiedHunks(before, after)].join('\n')}\n`
  const words = ['--batch', '--quiet', '--force', '--output=-', join(dir, 'before')]
  expect(execFileSync('patch', words, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })).toBe(after)
})
