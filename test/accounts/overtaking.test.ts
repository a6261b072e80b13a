import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { overtaken } from '../../src/host/agent/service/turns.ts'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { job } from '../jobs/fixtures.ts'
import { soon } from '../wait-for.ts'

const SECOND_MS = 1_000

/** A driver whose applies of accounts that are not suspended hang once `hold` was called, whatever aborts them. */
function hanging() {
  let waiting: Promise<void> | undefined
  let count = 0
  let release = (): void => {}
  const woken: Promise<unknown>[] = []
  const driver = (root: string): HostDriver => {
    const real = createDirectoryDriver({ root })
    const apply = real.apply.bind(real)
    const act: HostDriver['apply'] = async (state, options) => {
      const hung = state.accounts.every(({ suspended }) => !suspended) && waiting
      if (!hung) return apply(state, options)
      count++
      await hung
      const result = apply(state, options)
      woken.push(result.catch((error: unknown) => error))
      return result
    }
    return Object.assign(real, { apply: act })
  }
  const hold = (): void => {
    waiting = new Promise((resolve) => {
      release = resolve
    })
  }
  /** What the applies that hung come to; later ones do not hang. */
  const wake = async (): Promise<unknown[]> => {
    waiting = undefined
    release()
    await soon(() => expect(woken).toHaveLength(count))
    return Promise.all(woken)
  }
  return { driver, hold, wake, waiting: () => count }
}

/** Succeeds within a minute of the fake clock; the agent's own work takes real time. */
async function withinMinute(panel: TestPanel, id: string): Promise<void> {
  for (let seconds = 0; seconds < 60 && (await job(panel, id)).status !== 'succeeded'; seconds++) {
    await panel.clock.advance(SECOND_MS)
    await setTimeout(10)
  }
  expect(await job(panel, id)).toMatchObject({ status: 'succeeded' })
}

const differences = async (panel: TestPanel, id: string) =>
  (await panel.get(`/host/diff?account_id=${id}`)).body.differences

test('a suspension overtakes an apply that hangs in the host, which changes nothing when it wakes', async () => {
  const { driver, hold, wake, waiting } = hanging()
  const panel = await startPanel({ driver })
  const ann = await panel.account('ann')
  hold()
  const update = (await panel.patch(`/accounts/${ann.id}`, { contact_email: 'ann@new.example' })).body.job_id
  await soon(async () => expect(waiting()).toBe(1))
  expect((await job(panel, update)).status).toBe('running')
  panel.forget()
  const { job_id } = (await panel.post(`/accounts/${ann.id}/suspend`, { reason: 'unpaid' })).body
  await withinMinute(panel, job_id)
  expect(await differences(panel, ann.id)).toEqual([])
  expect(await wake()).toMatchObject([{ name: 'AbortError' }])
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([
    ['account.suspended', 'job.completed', 'job.completed'],
    ['account.suspend succeeded'],
  ])
  expect(await job(panel, update)).toMatchObject({ status: 'succeeded', attempts: 1 })
  expect((await panel.get(`/accounts/${ann.id}`)).body.status).toBe('suspended')
  expect(await differences(panel, ann.id)).toEqual([])
})

test('a termination overtakes one too', async () => {
  const { driver, hold, wake, waiting } = hanging()
  const panel = await startPanel({ driver })
  const ann = await panel.account('ann')
  hold()
  await panel.patch(`/accounts/${ann.id}`, { contact_email: 'ann@new.example' })
  await soon(async () => expect(waiting()).toBe(1))
  panel.forget()
  const { job_id } = (await panel.send('DELETE', `/accounts/${ann.id}?confirm=ann&final_backup=false`)).body
  await withinMinute(panel, job_id)
  await wake()
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([
    ['account.terminated', 'job.completed'],
    ['account.terminate succeeded'],
  ])
  expect((await panel.get(`/accounts/${ann.id}`)).status).toBe(404)
})

test("an apply of all accounts that hangs at one goes on with the others once that one's suspension overtakes it", async () => {
  const { driver, hold, wake, waiting } = hanging()
  const panel = await startPanel({ driver })
  const ann = await panel.account('ann')
  hold()
  const all = (await panel.post('/host/apply')).body.job_id
  await soon(async () => expect(waiting()).toBe(1))
  panel.forget()
  const { job_id } = (await panel.post(`/accounts/${ann.id}/suspend`, { reason: 'unpaid' })).body
  await withinMinute(panel, job_id)
  await soon(async () => expect((await job(panel, all)).status).toBe('succeeded'))
  expect(await wake()).toEqual([overtaken])
  expect([panel.events(), panel.jobs()]).toEqual([
    ['account.suspended', 'job.completed', 'job.completed'],
    ['account.suspend succeeded'],
  ])
  expect(await differences(panel, ann.id)).toEqual([])
})
