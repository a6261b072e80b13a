import { expect, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/directory.ts'
import { type BegunRun, type CommandEnd, type HostDriver, isLeaving } from '../../src/host/driver.ts'
import { eventually, withAlice } from './given.ts'

const minute = 60_000

type Options = { readonly signal?: AbortSignal }

/** Runs that go on without their agent, as on a machine, until they are let end or asked to. */
class Outliving {
  readonly begun: string[] = []
  readonly waiting: string[] = []
  readonly killed: string[] = []
  readonly #told = new Map<string, (end: CommandEnd) => void>()

  driver = (root: string): HostDriver =>
    Object.assign(createDirectoryDriver({ root }), {
      runCron: ({ run }: BegunRun, { signal }: Options = {}) => {
        this.begun.push(run)
        return this.#follow(run, signal)
      },
      awaitCron: async ({ run }: BegunRun, { signal }: Options = {}) => {
        this.waiting.push(run)
        return this.#told.has(run) ? this.#follow(run, signal) : undefined
      },
    })

  #follow(run: string, signal: AbortSignal | undefined): Promise<CommandEnd> {
    return new Promise((resolve, reject) => {
      this.#told.set(run, resolve)
      signal?.addEventListener('abort', () => {
        if (!isLeaving(signal)) this.killed.push(run)
        reject(signal.reason)
      })
    })
  }

  end(output: string): void {
    for (const tell of this.#told.values()) tell({ exitCode: 0, timedOut: false, output, truncated: false })
  }

  forget(): void {
    this.#told.clear()
  }
}

async function machine() {
  const host = new Outliving()
  const given = await withAlice({ trustTenants: true, debian: true, driver: host.driver })
  return { host, ...given }
}

test('runs go on while the server is started anew, and it learns how they ended', async () => {
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

test('a run that the machine no longer knows was interrupted, and is not run again', async () => {
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

test('a run of before is ended by a cancellation, and by a suspension', async () => {
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
