import { expect, test } from 'vitest'
import type { Host } from '../../src/areas/accounts/jobs/apply.ts'
import { withAccountLock } from '../../src/areas/accounts/objects/account-lock.ts'
import { claimLimit, fullTenants } from '../../src/runtime/jobs/lane-limits.ts'
import { enqueue } from '../../src/runtime/jobs/queue.ts'
import { getSetting } from '../../src/runtime/settings/settings.ts'
import type { JobRow } from '../../src/runtime/tables.ts'
import { FakeClock, turns } from '../clock.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { second } from '../nodes/second.ts'
import { job, learn } from './fixtures.ts'

const SECOND_MS = 1_000

/** Queues a job of an account as root. */
function queueFor(panel: TestPanel, kind: string, { id, username, owner_id }: Json, lane?: string): Promise<string> {
  const { runtime } = panel.panel
  const root = { type: 'root', id: runtime.id(), name: 'root', via: 'cli' } as const
  const account = { id, username, domain: `${username}.example`, owner_id }
  return panel.store.change(() =>
    enqueue(runtime, { kind, account, ...(lane === undefined ? {} : { lane }) }, root, 'a test'),
  )
}

const statusOf = async (panel: TestPanel, id: string): Promise<string> => (await job(panel, id)).status

const statuses = (panel: TestPanel, ids: readonly string[]): Promise<string[]> =>
  Promise.all(ids.map((id) => statusOf(panel, id)))

const mailboxOf = (panel: TestPanel, { id, username }: Json): Promise<Json> =>
  panel.post(`/accounts/${id}/email/accounts`, {
    address: `info@${username}.example`,
    password: 'correct horse battery staple',
  })

/** Waits for a job beside others that hang. */
async function until(panel: TestPanel, id: string, status = 'succeeded'): Promise<void> {
  for (let n = 0; n < 500 && (await statusOf(panel, id)) !== status; n++) await turns(5)
  expect(await statusOf(panel, id)).toBe(status)
}

/** A kind of job that hangs until it is released, and ends when it is aborted unless it ignores that. */
function hang(panel: TestPanel, kind: string, ignores = false): () => void {
  let isOpen = false
  const waiting: (() => void)[] = []
  learn(panel, {
    kind,
    run: ({ signal }) =>
      new Promise((resolve, reject) => {
        if (isOpen) return resolve(undefined)
        waiting.push(() => resolve(undefined))
        if (!ignores) signal.addEventListener('abort', () => reject(signal.reason))
      }),
  })
  return () => {
    isOpen = true
    for (const go of waiting.splice(0)) go()
  }
}

/** As the jobs see them: accounts of a reseller. */
async function customersOf(panel: TestPanel, reseller: string, count: number): Promise<Json[]> {
  const { id } = await panel.account(reseller)
  await panel.post('/resellers', { account_id: id })
  const made: Json[] = []
  for (let n = 0; n < count; n++) {
    const customer = await panel.account(`c${n}`)
    await panel.store.change(() => {
      panel.store.sqlite.prepare('UPDATE accounts SET owner_id = ? WHERE id = ?').run(id, customer.id)
    })
    made.push({ ...customer, owner_id: id })
  }
  return made
}

/** An account of root's, as its jobs see it. */
const accountOfRoot = async (panel: TestPanel, username: string, node?: string): Promise<Json> => ({
  ...(await panel.account(username, node === undefined ? {} : { node })),
  owner_id: getSetting(panel.store.db, 'root_id'),
})

test("eight hanging jobs of one reseller's accounts leave slots to others, and to their suspension", async () => {
  const panel = await startPanel()
  const bob = await panel.account('bob')
  const customers = await customersOf(panel, 'rita', 8)
  const release = hang(panel, 'toy.hang')
  const ids: string[] = []
  for (const customer of customers) ids.push(await queueFor(panel, 'toy.hang', customer))
  await turns(10)
  const half = [...Array<string>(4).fill('running'), ...Array<string>(4).fill('queued')]
  expect(await statuses(panel, ids)).toEqual(half)
  const mailbox = await mailboxOf(panel, bob)
  expect(mailbox.status, JSON.stringify(mailbox.body)).toBe(202)
  await until(panel, mailbox.body.job_id)
  await until(panel, (await panel.post('/accounts', { username: 'dan', domain: 'dan.example' })).body.job_id)
  expect(await statuses(panel, ids)).toEqual(half)
  panel.forget()
  const { job_id } = (await panel.post(`/accounts/${customers[0]!.id}/suspend`, { reason: 'unpaid' })).body
  await until(panel, job_id)
  expect(panel.events()).toEqual(['account.suspended', 'job.completed'])
  await panel.clock.advance(120 * SECOND_MS)
  expect(panel.panel.worker.late(60 * SECOND_MS)).toBe(false)
  release()
  await panel.settle()
  expect(await statuses(panel, ids)).toEqual(Array<string>(8).fill('succeeded'))
  expect((await job(panel, ids[0]!)).attempts).toBe(1)
})

/** How many of each run, when many jobs of each are queued, one after the other. */
async function runningOf(panel: TestPanel, owners: readonly Json[], kind = 'toy.hang'): Promise<number[]> {
  const counts: number[] = []
  for (const owner of owners) {
    const ids: string[] = []
    for (let n = 0; n < 10; n++) ids.push(await queueFor(panel, kind, owner, `${kind}-${owner.username}-${n}`))
    await turns(10)
    counts.push((await statuses(panel, ids)).filter((status) => status === 'running').length)
  }
  return counts
}

const accountsOfRoot = async (panel: TestPanel, names: readonly string[]): Promise<Json[]> => {
  const made: Json[] = []
  for (const name of names) made.push(await accountOfRoot(panel, name))
  return made
}

test('two tenants do not fill the slots: a third and a fourth find one each', async () => {
  const panel = await startPanel()
  const owners = await accountsOfRoot(panel, ['ann', 'bob', 'cat', 'dan', 'eve'])
  const release = hang(panel, 'toy.hang')
  expect(await runningOf(panel, owners)).toEqual([4, 2, 1, 1, 0])
  await panel.clock.advance(120 * SECOND_MS)
  expect(panel.panel.worker.late(60 * SECOND_MS)).toBe(true)
  release()
  await panel.settle()
})

test('leaves slots of a node free too', async () => {
  const panel = await startPanel()
  const { host } = await second(panel, { name: 'web2' })
  const owners: Json[] = []
  for (const username of ['ann', 'bob', 'cat', 'dan']) owners.push(await accountOfRoot(panel, username, 'web2'))
  const release = hang(panel, 'toy.hang')
  expect(await runningOf(panel, owners)).toEqual([2, 1, 1, 0])
  const { job_id } = (await panel.post(`/accounts/${owners[0]!.id}/suspend`, { reason: 'unpaid' })).body
  await until(panel, job_id)
  release()
  await panel.settle()
  host.close()
})

test('hanging urgent jobs of one tenant leave the slots for them to others', async () => {
  const panel = await startPanel()
  const owners = await accountsOfRoot(panel, ['ann', 'bob', 'cat', 'dan'])
  const release = hang(panel, 'toy.hang')
  expect(await runningOf(panel, owners)).toEqual([4, 2, 1, 1])
  const [urgent, endUrgent] = ['toy.urgent', hang(panel, 'toy.urgent')]
  learn(panel, { ...panel.panel.runtime.kinds.get(urgent)!, urgent: () => true })
  expect(await runningOf(panel, owners.slice(0, 1), urgent)).toEqual([1])
  const { job_id } = (await panel.post(`/accounts/${owners[1]!.id}/suspend`, { reason: 'unpaid' })).body
  await until(panel, job_id)
  expect(await runningOf(panel, owners.slice(1), urgent)).toEqual([1, 0, 0])
  endUrgent()
  release()
  await panel.settle()
})

test('no claim of several jobs exceeds a share, whoever they belong to', () => {
  const runningFor = (tenants: readonly string[]) => tenants.map((tenant) => ({ lane: null, tenant, urgent: false }))
  for (let share = 1; share <= 16; share++)
    for (let first = 0; first <= share; first++) {
      const running = runningFor(Array<string>(first).fill('ann'))
      const free = share - first
      if (free === 0) continue
      const next = fullTenants(running, free).includes('ann') ? 'bob' : 'ann'
      for (let n = 0; n < claimLimit(running, free); n++) {
        const now = [...running, ...runningFor(Array<string>(n).fill(next))]
        expect(fullTenants(now, share - now.length)).not.toContain(next)
      }
    }
})

test.each([false, true])(
  'a suspension overtakes the running job of its lane (it ignores that: %s)',
  async (ignores) => {
    const panel = await startPanel()
    const ann = await accountOfRoot(panel, 'ann')
    const release = hang(panel, 'toy.hang', ignores)
    learn(panel, { kind: 'toy.next', run: async () => undefined })
    const hanging = await queueFor(panel, 'toy.hang', ann)
    const next = await queueFor(panel, 'toy.next', ann)
    await turns(10)
    const { job_id } = (await panel.post(`/accounts/${ann.id}/suspend`, { reason: 'unpaid' })).body
    if (ignores) await panel.clock.advance(9 * SECOND_MS)
    if (ignores) expect(await statuses(panel, [hanging, next, job_id])).toEqual(['running', 'queued', 'queued'])
    if (ignores) await panel.clock.advance(2 * SECOND_MS)
    await until(panel, job_id)
    await until(panel, hanging, 'running')
    expect(await statuses(panel, [hanging, next])).toEqual(['running', 'queued'])
    release()
    await panel.settle()
    expect(await job(panel, hanging)).toMatchObject({ status: 'succeeded', attempts: 1 })
    expect(await statusOf(panel, next)).toBe('succeeded')
  },
)

test('a termination overtakes the jobs of its account, and cancels them at its end', async () => {
  const panel = await startPanel()
  const ann = await accountOfRoot(panel, 'ann')
  hang(panel, 'toy.hang')
  const ids = [await queueFor(panel, 'toy.hang', ann), await queueFor(panel, 'toy.hang', ann)]
  await turns(10)
  panel.forget()
  const ended = await panel.send('DELETE', `/accounts/${ann.id}?confirm=ann&final_backup=false`)
  await until(panel, ended.body.job_id)
  await panel.settle()
  expect(await statuses(panel, ids)).toEqual(['cancelled', 'cancelled'])
  expect(panel.events()).toEqual(['account.terminated', 'job.completed'])
})

test("an urgent job waits ten seconds for the account's lock, an ordinary one until it is free", async () => {
  const clock = new FakeClock()
  const host = { client: {}, runtime: { clock } } as unknown as Host
  const done: string[] = []
  const take = (urgent: boolean, work: () => Promise<void>): void =>
    void withAccountLock(host, 'ann', { row: { urgent } as JobRow }, work)
  take(false, () => new Promise(() => {}))
  take(true, async () => void done.push('urgent'))
  take(false, async () => void done.push('after it'))
  await clock.advance(9 * SECOND_MS)
  expect(done).toEqual([])
  await clock.advance(SECOND_MS)
  expect(done).toEqual(['urgent', 'after it'])
})

test('one customer leaves a lane of a family of three, and the next goes to who has fewest', async () => {
  const panel = await startPanel()
  const [ann, bob] = [await accountOfRoot(panel, 'ann'), await accountOfRoot(panel, 'bob')]
  const release = hang(panel, 'toy.build')
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push(await queueFor(panel, 'toy.build', ann, `app:a${n}`))
  await turns(10)
  expect(await statuses(panel, ids)).toEqual(['running', 'running', 'queued'])
  const other = await queueFor(panel, 'toy.build', bob, 'app:b')
  await until(panel, other, 'running')
  release()
  await panel.settle()
  expect(await statuses(panel, [...ids, other])).toEqual(Array<string>(4).fill('succeeded'))
})
