import { expect, test, vi } from 'vitest'
import type { AppStatuses, HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { turns } from '../clock.ts'
import { type Json, startPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { second } from './second.ts'

/** An app of bob's, on a node that reports as the test says. */
async function withApp(appStatus: HostDriver['apps']['appStatus']) {
  const panel = await startPanel()
  await second(panel, {
    name: 'web2',
    driver(root) {
      const driver = createDirectoryDriver({ root })
      vi.spyOn(driver.apps, 'appStatus').mockImplementation(appStatus)
      return driver
    },
  })
  const bob = await panel.account('bob', { node: 'web2' })
  const made = await panel.post(`/accounts/${bob.id}/apps`, { name: 'shop', kind: 'node' })
  expect(made.status, JSON.stringify(made.body)).toBe(202)
  await panel.settle()
  const { id } = made.body.app
  const release = panel.store.sqlite.prepare(
    `UPDATE apps SET running = 1, current_release_id = ?, observed = 'running' WHERE id = ?`,
  )
  await panel.store.change(() => void release.run(panel.panel.runtime.id(), id))
  panel.panel.runtime.signals.emit('appChange')
  const visible = async (): Promise<Json> => (await panel.get(`/accounts/${bob.id}/apps/${id}`)).body
  return { panel, id, visible }
}

test('the app states that a node reports are recorded', async () => {
  let report!: (statuses: AppStatuses) => void
  const received = new Promise<AppStatuses>((resolve) => (report = resolve))
  const { id, visible } = await withApp(({ after }) => (after ? new Promise(() => {}) : received))
  report({ at: 'a:1', items: [{ id, status: 'crashed', reason: 'it ended by itself' }] })
  for (let n = 0; n < 2_000 && (await visible()).status !== 'crashed'; n++) await turns(5)
  expect(await visible()).toMatchObject({ status: 'crashed' })
})

test('a node that always has news is asked once a second', async () => {
  let looks = 0
  const { panel } = await withApp(async () => ({ at: `a:${++looks}`, items: [] }))
  for (let second = 1; second <= 3; second++) {
    await soon(() => expect(looks).toBe(second))
    await turns(200)
    expect(looks).toBe(second)
    await panel.clock.advance(1_000)
  }
})
