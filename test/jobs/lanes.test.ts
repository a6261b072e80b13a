import { expect, test } from 'vitest'
import { turns } from '../clock.ts'
import { PausedDriver } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'

/** A driver whose backups wait until they are released; its other calls do not. */
class PausedBackups extends PausedDriver {
  readonly paused: (() => void)[] = []
  override get backups() {
    const real = super.backups
    const backup: typeof real.backup = async (order, options) => {
      await new Promise<void>((resolve) => this.paused.push(resolve))
      return real.backup(order, options)
    }
    return new Proxy(real, {
      get: (target, name) => (name === 'backup' ? backup : Reflect.get(target, name, target).bind(target)),
    })
  }
}

const running = async (panel: TestPanel): Promise<string[]> =>
  (await panel.get('/jobs?status=running')).body.items.map(({ kind }: Json) => kind)

test("two backups run at a time, and accounts' jobs do not wait for them", async () => {
  let driver!: PausedBackups
  const make = (root: string) => {
    driver = new PausedBackups(root)
    driver.release()
    return driver
  }
  const panel = await startPanel({ driver: make })
  const accounts = []
  for (const name of ['ann', 'bob', 'cid', 'dan']) accounts.push(await panel.account(name))
  for (const { id } of accounts) await panel.post(`/accounts/${id}/backups`, { parts: ['config'] })
  await turns(20)
  expect(await running(panel)).toEqual(['backup.account', 'backup.account'])
  const reply = await panel.post(`/accounts/${accounts[0].id}/suspend`, { reason: 'unpaid' })
  const status = async () => (await panel.get(`/jobs/${reply.body.job_id}`)).body.job.status
  for (let n = 0; n < 2_000 && (await status()) !== 'succeeded'; n++) await turns(5)
  expect(await status()).toBe('succeeded')
  expect(await running(panel)).toEqual(['backup.account', 'backup.account'])
  let left = 4
  while (left > 0) {
    for (const go of driver.paused.splice(0)) {
      go()
      left--
    }
    await turns(5)
  }
  await panel.settle()
  const { items } = (await panel.get('/backups')).body
  expect(items.map(({ username, status }: Json) => `${username} ${status}`)).toEqual([
    'ann complete',
    'bob complete',
    'cid complete',
    'dan complete',
  ])
})
