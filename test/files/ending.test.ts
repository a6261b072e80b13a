import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { turns } from '../clock.ts'
import { PausedDriver } from '../drivers.ts'
import { startPanel } from '../harness.ts'
import { bombGz } from '../host/archive/bombs.ts'

/** Its copies end only when they are released, even if cancelled. */
class Copying extends PausedDriver {
  end = (): void => {}
  begun = false

  constructor(root: string) {
    super(root)
    this.release()
  }

  override files: HostDriver['files'] = () =>
    ({
      act: (verb: string, _received: object, { signal }: { signal: AbortSignal }) =>
        verb === 'foresee' ? Promise.resolve(null) : this.#working(signal),
    }) as never

  #working(signal: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.begun = true
      this.end = () => reject(signal.aborted ? signal.reason : new Error('it was not asked to stop'))
    })
  }
}

test.each([
  ['suspended', 'account.suspend'],
  ['terminated', 'account.terminate'],
])('an account that is %s waits until everything working on its files has stopped', async (_, kind) => {
  let driver!: Copying
  const panel = await startPanel({ driver: (root) => (driver = new Copying(root)) })
  const { id } = await panel.account('alice')
  await panel.post(`/accounts/${id}/files/copy`, { from: 'tmp', to: 'copy' })
  await turns()
  expect(driver.begun).toBe(true)
  driver.calls.length = 0
  if (kind === 'account.suspend') await panel.post(`/accounts/${id}/suspend`, { reason: 'unpaid' })
  else await panel.delete(`/accounts/${id}?confirm=alice`)
  await turns()
  expect([panel.jobs(), driver.calls]).toEqual([['files.copy running', `${kind} running`], []])
  driver.end()
  await panel.settle()
  expect(driver.calls).toHaveLength(1)
  const { items } = (await panel.get('/jobs?per_page=2&order=desc')).body
  expect(items.map((job: { kind: string; status: string }) => `${job.kind} ${job.status}`)).toEqual([
    `${kind} succeeded`,
    'files.copy cancelled',
  ])
})

test('an archive that is being unpacked when its account is suspended leaves nothing', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice')
  const home = join(panel.dir, 'host/home/alice')
  mkdirSync(join(home, '.panel/work'), { recursive: true })
  writeFileSync(join(home, 'tmp/bomb'), bombGz(16 * 1024 ** 3))
  const { job_id } = (await panel.post(`/accounts/${id}/files/extract`, { path: 'tmp/bomb', to: 'out' })).body
  await expect.poll(() => readdirSync(join(home, '.panel/work'))).toEqual([`extract-${job_id}`])
  await panel.post(`/accounts/${id}/suspend`, { reason: 'unpaid' })
  await panel.settle()
  expect((await panel.get(`/jobs/${job_id}`)).body.job.status).toBe('cancelled')
  expect(readdirSync(join(home, '.panel/work'))).toEqual([])
  expect(existsSync(join(home, 'out'))).toBe(false)
})
