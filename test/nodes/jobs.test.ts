import { expect, test } from 'vitest'
import { turns } from '../clock.ts'
import { PausedDriver } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { find, lose, second } from './second.ts'

const jobOf = async (panel: TestPanel, id: string): Promise<Json> => (await panel.get(`/jobs/${id}`)).body.job
const waiting = 'Node web2 is down: it has not answered for 6 seconds.'

test('jobs of a node that is down wait, say so, and run when it is back', async () => {
  const panel = await startPanel()
  const { host } = await second(panel, { name: 'web2' })
  await panel.post('/accounts', { username: 'bob', domain: 'bob.example', node: 'web2' })
  await panel.settle()
  const [bob] = (await panel.get('/accounts')).body.items
  panel.forget()
  lose(panel, 'web2')
  const { body } = await panel.post(`/accounts/${bob.id}/suspend`, { reason: 'unpaid' })
  await panel.account('alice')
  expect(await jobOf(panel, body.job_id)).toMatchObject({
    status: 'queued',
    attempts: 0,
    node: 'web2',
    waiting_for: waiting,
  })
  for (let n = 0; n < 20; n++) await panel.clock.advance(60_000)
  expect(await jobOf(panel, body.job_id)).toMatchObject({ status: 'queued', attempts: 0 })
  expect(panel.panel.worker.late(1)).toBe(false)
  find(panel, 'web2', host)
  await panel.settle()
  const ended = await jobOf(panel, body.job_id)
  expect(ended).toMatchObject({ status: 'succeeded', attempts: 1 })
  expect(ended).not.toHaveProperty('waiting_for')
})

test('a job whose node goes down while it runs is requeued, without using an attempt', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  panel.panel.fleet.detach('web2', waiting)
  const { body } = await panel.post('/accounts', { username: 'bob', domain: 'bob.example', node: 'web2' })
  await panel.settle()
  expect(await jobOf(panel, body.job_id)).toMatchObject({ status: 'queued', attempts: 0 })
  const { log } = (await panel.get(`/jobs/${body.job_id}`)).body
  expect(log.map(({ level, message }: Json) => [level, message])).toEqual([['warn', waiting]])
  // Its zone is served here, where it was sent at once.
  expect(panel.events()).toEqual(['account.created', 'job.completed'])
  expect(panel.jobs().filter((job) => job.endsWith('succeeded'))).toHaveLength(1)
})

test('at most four jobs run at once on a node, and do not delay those of another', async () => {
  const panel = await startPanel()
  let driver!: PausedDriver
  const driverOf = (root: string) => (driver = new PausedDriver(root))
  await second(panel, { name: 'web2', driver: driverOf })
  const create = (name: string, node: string) =>
    panel.post('/accounts', { username: name, domain: `${name}.example`, node })
  for (let n = 0; n < 6; n++) await create(`far${n}`, 'web2')
  const { body } = await create('near', 'local')
  const status = async () => (await jobOf(panel, body.job_id)).status
  for (let n = 0; n < 2_000 && (await status()) !== 'succeeded'; n++) await turns(5)
  expect(await status()).toBe('succeeded')
  const running = (await panel.get('/jobs?status=running&kind=account.create')).body.items
  expect(running.map(({ username }: Json) => username).sort()).toEqual(['far0', 'far1', 'far2', 'far3'])
  driver.release()
  await panel.settle()
  const done = (await panel.get('/jobs?status=succeeded&kind=account.create')).body
  expect(done.total).toBe(7)
})

test('syncing all nodes says which are skipped, and why', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  await second(panel, { name: 'web3' })
  await panel.account('bob', { node: 'web2' })
  lose(panel, 'web2')
  const { body } = await panel.post('/host/apply', {})
  await panel.settle()
  const { job, log } = (await panel.get(`/jobs/${body.job_id}`)).body
  const left = (await panel.get('/jobs?kind=host.apply&node=web2')).body.items[0].id
  expect(job.status).toBe('succeeded')
  expect(log.map(({ level, message }: Json) => [level, message])).toContainEqual([
    'warn',
    `Accounts on web2 will be handled by job ${left}, which is waiting: ${waiting}`,
  ])
})
