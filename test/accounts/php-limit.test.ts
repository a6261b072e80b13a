import { expect, test } from 'vitest'
import { host } from '../email/fixtures.ts'
import { startPanel } from '../harness.ts'

test.each([
  [5000, 1000],
  [1000, 1000],
  [7, 7],
])('of %d PHP processes the host allows %d', async (requested, allowed) => {
  const panel = await startPanel()
  const { id } = await panel.account('alice')
  expect((await panel.patch(`/accounts/${id}`, { php_max_children: requested })).status).toBe(202)
  await panel.settle()
  const { read } = host(panel)
  expect(read('etc/panel/php/8.4-e3b0c44298fc-alice.conf')).toContain(`\npm.max_children = ${allowed}\n`)
  expect(read('etc/panel/limits.d/alice')).toContain(`php_children=${allowed}\n`)
})
