import { expect, test, vi } from 'vitest'
import type { AppStatuses } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { turns } from '../clock.ts'
import { type Json, startPanel } from '../harness.ts'
import { second } from './second.ts'

test('the app states that a node reports are recorded', async () => {
  const panel = await startPanel()
  let report!: (statuses: AppStatuses) => void
  const received = new Promise<AppStatuses>((resolve) => (report = resolve))
  await second(panel, {
    name: 'web2',
    driver(root) {
      const driver = createDirectoryDriver({ root })
      vi.spyOn(driver.apps, 'appStatus').mockImplementation(({ after }) => (after ? new Promise(() => {}) : received))
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
  report({ at: '1', items: [{ id, status: 'crashed', reason: 'it ended by itself' }] })
  const visible = async (): Promise<Json> => (await panel.get(`/accounts/${bob.id}/apps/${id}`)).body
  for (let n = 0; n < 2_000 && (await visible()).status !== 'crashed'; n++) await turns(5)
  expect(await visible()).toMatchObject({ status: 'crashed' })
})
