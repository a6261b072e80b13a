import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const scriptsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sh'))
    .map((file) => join(folder, file))

test('every script of the proofs on Debian can be parsed', () => {
  const scripts = [...scriptsBelow('test/lab'), '.ci/run', 'test/lab/lab']
  const errors = scripts.flatMap((script) => {
    const { status, stderr } = spawnSync('bash', ['-n', script], { encoding: 'utf8' })
    return status === 0 ? [] : [`${script}: ${stderr}`]
  })
  expect(scripts.length).toBeGreaterThan(30)
  expect(errors).toEqual([])
})
