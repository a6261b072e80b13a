import { expect, test } from 'vitest'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { turns } from '../clock.ts'
import { WrappedDriver } from '../drivers.ts'
import { startPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'

test('allows only reading, signing in and the license itself without a valid license', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password: 'correct horse battery' })
  expect((await panel.get('/license')).body).toEqual({ valid_until: null, valid: true })
  await panel.put('/license', { valid_until: panel.clock.now() + 60_000 })
  const suspend = () => panel.post(`/accounts/${alice.id}/suspend`, {})
  panel.clock.jump(59_999)
  expect((await suspend()).status).toBe(202)
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([
    ['account.suspended', 'job.completed'],
    ['account.suspend succeeded'],
  ])
  panel.clock.jump(1)
  const refused = await panel.post(`/accounts/${alice.id}/unsuspend`)
  expect([refused.status, refused.code]).toEqual([402, 'license-readonly'])
  expect((await panel.get('/accounts')).status).toBe(200)
  expect((await panel.get('/license')).body.valid).toBe(false)
  expect((await panel.post('/accounts', 'not json', { headers: { 'Content-Type': 'text/plain' } })).status).toBe(402)
  await panel.put('/license', { valid_until: null })
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
  await panel.post(`/accounts/${alice.id}/unsuspend`)
  await panel.settle()
  panel.forget()
  await panel.put('/license', { valid_until: panel.clock.now() })
  const browser = new Browser(panel)
  expect((await browser.signIn('alice', 'correct horse battery')).status).toBe(200)
  expect((await browser.patch(`/accounts/${alice.id}`, { theme: 'dark' })).code).toBe('license-readonly')
  expect((await browser.post('/user/auth/logout')).status).toBe(204)
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a queued job waits while the license has expired', async () => {
  const gate = gated()
  const panel = await startPanel({ driver: gate.driver })
  const alice = await panel.account('alice')
  gate.close()
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  const { job_id } = (await panel.post(`/accounts/${alice.id}/unsuspend`)).body
  await turns()
  await panel.put('/license', { valid_until: panel.clock.now() })
  gate.open()
  await panel.settle()
  const status = async () => (await panel.get(`/jobs/${job_id}`)).body.job.status
  expect(await status()).toBe('queued')
  await panel.put('/license', { valid_until: null })
  await panel.settle()
  expect(await status()).toBe('succeeded')
  expect(panel.events()).toEqual(['account.suspended', 'account.unsuspended', 'job.completed', 'job.completed'])
})

/** A host that can be blocked. */
function gated() {
  let open = (): void => {}
  let passage = Promise.resolve()
  const driver = (root: string): HostDriver => {
    const real = createDirectoryDriver({ root })
    const apply: HostDriver['apply'] = (...state) => passage.then(() => real.apply(...state))
    return Object.assign(new WrappedDriver(real), { apply })
  }
  const close = (): void => {
    passage = new Promise((resolve) => {
      open = resolve
    })
  }
  return { driver, close, open: () => open() }
}
