import { expect, test } from 'vitest'
import { inProcess } from '../cli/run.ts'

test('refuses all accounts together with one', async () => {
  const { code, stderr } = await inProcess(['host', 'apply', '--all', '-a', 'alice'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--all and --account exclude one another')])
})

test.each(['diff', 'apply', 'verify'])('accepts an account with -a: %s', async (verb) => {
  const { stdout } = await inProcess(['host', verb, '--help'])
  expect(stdout).toContain('-a, --account <name>')
})
