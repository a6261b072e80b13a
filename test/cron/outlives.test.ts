import { expect, test, vi } from 'vitest'
import { AgentClient } from '../../src/host/agent/client/client.ts'
import {
  type BegunRun,
  type CommandEnd,
  type HostDriver,
  HostError,
  isLeaving,
} from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { startPanel } from '../harness.ts'
import { find, second } from '../nodes/second.ts'
import { eventually, withAlice } from './fixtures.ts'

const minute = 60_000

type Options = { readonly signal?: AbortSignal }

/** Runs that continue without their agent, as on a machine, until they are released or cancelled. */
class Outliving {
  readonly begun: string[] = []
  readonly waiting: string[] = []
  readonly killed: string[] = []
  readonly #received = new Map<string, (end: CommandEnd) => void>()

  driver = (root: string): HostDriver =>
    Object.assign(createDirectoryDriver({ root }), {
      runCron: ({ run }: BegunRun, { signal }: Options = {}) => {
        this.begun.push(run)
        return this.#follow(run, signal)
      },
      awaitCron: async ({ run }: BegunRun, { signal }: Options = {}) => {
        this.waiting.push(run)
        return { end: this.#received.has(run) ? await this.#follow(run, signal) : null }
      },
    })

  #follow(run: string, signal: AbortSignal | undefined): Promise<CommandEnd> {
    return new Promise((resolve, reject) => {
      this.#received.set(run, resolve)
      signal?.addEventListener('abort', () => {
        if (!isLeaving(signal)) this.killed.push(run)
        reject(signal.reason)
      })
    })
  }

  end(output: string): void {
    for (const report of this.#received.values()) report({ exitCode: 0, timedOut: false, output, truncated: false })
  }

  forget(): void {
    this.#received.clear()
  }
}

async function machine() {
  const host = new Outliving()
  const input = await withAlice({ trustTenants: true, debian: true, driver: host.driver })
  return { host, ...input }
}

test('runs continue while the server restarts, and it learns how they ended', async () => {
  const { host, panel, job, run, runs, last, scheduler } = await machine()
  const byHand = await job('backup')
  const scheduled = await job('report', {}, '* * * * *')
  const { job_id } = (await run(byHand)).body
  await panel.clock.advance(minute)
  await eventually(() => host.begun.length).toBe(2)
  await panel.restart()
  await eventually(() => host.waiting.length).toBe(2)
  for (const id of [byHand, scheduled]) expect(await runs(id)).toMatchObject([{ outcome: 'running' }])
  host.end('done\n')
  await panel.settle()
  await eventually(async () => (await last(scheduled)).outcome).toBe('succeeded')
  expect(await last(byHand)).toMatchObject({ outcome: 'succeeded', exit_code: 0, output: 'done\n' })
  expect((await panel.get(`/jobs/${job_id}`)).body.job).toMatchObject({ status: 'succeeded', attempts: 1 })
  expect([host.begun.length, host.killed, host.waiting.toSorted()]).toEqual([2, [], host.begun.toSorted()])
  await scheduler().idle()
})

test('a run that the machine no longer knows was interrupted, and is not repeated', async () => {
  const { host, panel, job, run, runs } = await machine()
  const id = await job('backup')
  await run(id)
  await eventually(() => host.begun.length).toBe(1)
  host.forget()
  panel.forget()
  await panel.restart()
  await panel.settle()
  expect(await runs(id)).toMatchObject([{ outcome: 'interrupted' }])
  expect([panel.events(), host.begun.length]).toEqual([['job.failed'], 1])
})

test('runs on a machine continue while a server whose own host is a directory restarts', async () => {
  const host = new Outliving()
  const panel = await startPanel({ trustTenants: true })
  const web2 = await second(panel, { name: 'web2', debian: true, driver: host.driver })
  const bob = await panel.account('bob', { node: 'web2' })
  const path = `/accounts/${bob.id}/cron/jobs`
  const { cron_job } = (await panel.post(path, { schedule: '* * * * *', command: 'report' })).body
  await panel.settle()
  await panel.clock.advance(minute)
  await eventually(() => host.begun.length).toBe(1)
  await panel.restart()
  const last = async () => (await panel.get(`${path}/${cron_job.id}/runs`)).body.items.at(-1)
  expect([(await last()).outcome, host.killed]).toEqual(['running', []])
  find(panel, 'web2', web2.host)
  await panel.clock.advance(minute)
  await eventually(() => host.waiting.length).toBe(1)
  host.end('done\n')
  await eventually(async () => (await last()).outcome).toBe('succeeded')
})

test('a run that continues while its agent is lost repeatedly is reported with its result', async () => {
  const { host, panel, job, runs } = await machine()
  const id = await job('report', {}, '* * * * *')
  await panel.clock.advance(minute)
  await eventually(() => host.begun.length).toBe(1)
  const lost = vi.spyOn(AgentClient.prototype, 'awaitCron')
  for (let times = 0; times < 3; times++)
    lost.mockRejectedValueOnce(new HostError('stage', 'It was lost.', 'unreachable'))
  await panel.restart()
  for (let times = 1; times <= 3; times++) {
    await eventually(() => lost.mock.calls.length).toBe(times)
    await panel.clock.advance(minute)
  }
  await eventually(() => host.waiting.length).toBe(1)
  host.end('done\n')
  await eventually(async () => (await runs(id)).at(-1)?.outcome).toBe('succeeded')
})

test('a run from before the restart can be cancelled, and is ended by a suspension', async () => {
  const { host, panel, alice, job, run, runs } = await machine()
  const [cancelled, scheduled] = [await job('backup'), await job('report', {}, '* * * * *')]
  const { job_id } = (await run(cancelled)).body
  await panel.clock.advance(minute)
  await eventually(() => host.begun.length).toBe(2)
  await panel.restart()
  await eventually(() => host.waiting.length).toBe(2)
  await panel.post(`/jobs/${job_id}/cancel`)
  await panel.post(`/accounts/${alice.id}/suspend`)
  await panel.settle()
  for (const id of [cancelled, scheduled])
    await eventually(async () => (await runs(id))[0]!.outcome).toBe('interrupted')
  expect(host.killed.toSorted()).toEqual(host.begun.toSorted())
})
