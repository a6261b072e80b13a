import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { host as hostOf } from '../email/fixtures.ts'
import { startPanel } from '../harness.ts'
import { second } from '../nodes/second.ts'
import { soon } from '../wait-for.ts'

const office = { name: 'office', host: 'smtp.office.example', port: 465, tls: 'tls' }

test('a node that never answers keeps a relay neither from accounts elsewhere nor from what follows it', async () => {
  const panel = await startPanel()
  const { host } = await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  const alice = await panel.account('alice', { node: 'local' })
  await panel.settle()
  const never = (_: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) =>
    new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  vi.spyOn(host, 'apply').mockImplementation(never)
  vi.spyOn(host, 'changeMailQueue').mockImplementation(never)
  const body = { ...office, for: { accounts: [bob.id, alice.id] } }
  const { job_id, relay } = (await panel.post('/smtp-relays', body)).body
  const statusOf = async (id: string) => (await panel.get(`/jobs/${id}`)).body.job.status
  await soon(() => expect(hostOf(panel).map('relaytransports')).toHaveLength(1))
  await soon(async () => {
    await panel.clock.advance(10_000)
    expect(await statusOf(job_id)).toBe('succeeded')
  })
  const next = (await panel.patch(`/smtp-relays/${relay.id}`, { port: 587 })).body
  await soon(async () => {
    await panel.clock.advance(10_000)
    expect(await statusOf(next.job_id)).toBe('succeeded')
  })
  vi.restoreAllMocks()
})

test('accounts of other nodes get their relay by jobs of their nodes', async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  await panel.settle()
  panel.forget()
  await panel.post('/smtp-relays', { ...office, for: { accounts: [bob.id] } })
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([
    ['job.completed', 'job.completed'],
    ['mail.relay.update succeeded', 'host.apply succeeded'],
  ])
  expect(readFileSync(`${root}/etc/panel/mail/relaytransports.d/bob`, 'utf8').trim()).toBe(
    '@bob.example relay-sender-tls:[smtp.office.example]:465',
  )
})
