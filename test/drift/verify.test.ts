import { expect, test } from 'vitest'
import type { ProbeResult } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'

async function verified(panel: TestPanel, account: Json): Promise<{ events: string[]; job: Json; log: string[] }> {
  const { status, body } = await panel.post('/host/verify', { account_id: account.id })
  expect(status, JSON.stringify(body)).toBe(202)
  await panel.settle()
  const { job, log } = (await panel.get(`/jobs/${body.job_id}`)).body
  return { events: panel.events(), job, log: log.map(({ level, message }: Json) => `${level}: ${message}`) }
}

/** A machine whose services answer what the test sets. */
const answering = (results: readonly ProbeResult[]) => (root: string) => {
  const driver = createDirectoryDriver({ root })
  driver.verify = async ({ account }) => results.map((one) => ({ ...one, probe: `${one.probe} ${account.mainDomain}` }))
  return driver
}

test('each probe is a line of the log, and a failed one fails the job', async () => {
  const driver = answering([
    { probe: 'http', ok: true, message: '200' },
    { probe: 'dns', ok: false, message: 'BIND has serial none, the store 2026010101.' },
  ])
  const panel = await startPanel({ driver })
  const { events, job, log } = await verified(panel, await panel.account('alice'))
  expect([events, job.kind, job.status, job.error, job.attempts]).toEqual([
    ['job.failed'],
    'host.verify',
    'failed',
    '1 of 2 probes failed; the log names them.',
    1,
  ])
  expect(log.slice(0, 2)).toEqual([
    'info: http alice.example: ok, 200',
    'error: dns alice.example: failed, BIND has serial none, the store 2026010101.',
  ])
})

test('a host that is a directory has no services, and says so', async () => {
  const panel = await startPanel()
  const { events, job, log } = await verified(panel, await panel.account('alice'))
  expect([events, job.status, log]).toEqual([
    ['job.completed'],
    'succeeded',
    ['info: this host has no services to ask'],
  ])
})

test('an unknown account is refused', async () => {
  const panel = await startPanel()
  const { status, body } = await panel.post('/host/verify', { account_id: '01J00000000000000000000000' })
  expect([status, body.fields]).toEqual([400, { account_id: 'is not an account' }])
})
