import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { accepted, nothing, occurred, problem } from './fixtures.ts'

const ids = ['4jbtcD1XDvzJDKa', '4jbtcD1XDvzJDKb', '4jbtcD1XDvzJDKc', '4jbtcD1XDvzJDKd'] as const

/** Messages of alice, bob and carol, who is a reseller's, and one without an owner. */
async function withQueue() {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true })
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const carol = await panel.account('carol', { owner_id: rita.id })
  const folder = join(panel.dir, 'host/mail-queue')
  mkdirSync(folder, { recursive: true })
  const now = panel.clock.now()
  const put = (id: string, fields: object) => {
    const message = {
      from: 'w@ext.example',
      to: ['x@ext.example'],
      size: 5,
      arrivedAt: now - 60_000,
      reason: 'Refused.',
    }
    writeFileSync(join(folder, `${id}.json`), JSON.stringify({ ...message, ...fields }))
  }
  const uidOf = ({ id }: Json): number =>
    (panel.panel.runtime.store.sqlite.prepare('SELECT uid FROM accounts WHERE id = ?').get(id) as { uid: number }).uid
  put(ids[0], { uid: uidOf(alice), from: 'info@alice.example', to: ['a@ext.example', 'b@mx.example'] })
  put(ids[1], { uid: uidOf(bob), arrivedAt: now - 3_600_000 })
  put(ids[2], { uid: uidOf(carol), onHold: true })
  put(ids[3], { from: '', arrivedAt: now - 30_000, nextAttemptAt: now + 60_000 })
  panel.forget()
  const has = (id: string): boolean => existsSync(join(folder, `${id}.json`))
  const read = (id: string): Json => JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8'))
  return { panel, rita, alice, bob, carol, put, has, read, now, uidOf }
}

const idsIn = ({ body }: { body: Json }): string[] => body.items.map(({ id }: Json) => id)
const logOf = async (panel: TestPanel, job: string): Promise<string[]> =>
  (await panel.get(`/jobs/${job}`)).body.log.map(({ message }: Json) => message)

test('root sees what waits, the longest waiting first, and whose it is', async () => {
  const { panel, alice, now } = await withQueue()
  const reply = await panel.get('/mail/queue')
  expect([idsIn(reply), reply.body.total, reply.body.more]).toEqual([[ids[1], ids[0], ids[2], ids[3]], 4, false])
  expect(reply.body.items[1]).toEqual({
    ...{ id: ids[0], node: 'local', from: 'info@alice.example', to: ['a@ext.example', 'b@mx.example'], recipients: 2 },
    ...{
      attempts: 0,
      size: 5,
      arrived_at: now - 60_000,
      reason: 'Refused.',
      account_id: alice.id,
      username: 'alice',
      held: false,
    },
  })
  expect(reply.body.items[3]).toMatchObject({ from: '', next_attempt_at: now + 60_000 })
  expect(reply.body.items[3]).not.toHaveProperty('account_id')
  for (const [query, expected] of [
    ['sender=INFO%40alice.example', [ids[0]]],
    ['sender=%3C%3E', [ids[3]]],
    ['recipient_domain=mx.example', [ids[0]]],
    ['recipient_domain=x.example', []],
    ['held=true', [ids[2]]],
    ['held=false&older_than_s=600', [ids[1]]],
    [`account_id=${alice.id}`, [ids[0]]],
  ] as const)
    expect(idsIn(await panel.get(`/mail/queue?${query}`)), query).toEqual(expected)
})

test('pages go on where the last one ended', async () => {
  const { panel } = await withQueue()
  const seen: string[] = []
  let next = ''
  for (let more = true; more; ) {
    const { body } = await panel.get(`/mail/queue?limit=1${next && `&after=${next}`}`)
    seen.push(...body.items.map(({ id }: Json) => id))
    ;({ more, next } = body)
  }
  expect(seen).toEqual([ids[1], ids[0], ids[2], ids[3]])
})

test('a customer sees and deletes its own messages only, a reseller those of its accounts', async () => {
  const { panel, rita, alice, bob, carol, has } = await withQueue()
  expect(idsIn(await panel.get(`/accounts/${alice.id}/email/queue`))).toEqual([ids[0]])
  const { matched, job_id } = accepted(
    await panel.post(`/accounts/${alice.id}/email/queue/delete`, { ids: ids.slice() }),
  )
  expect(matched).toBe(1)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mail.queue.change succeeded'] })
  expect(ids.map(has)).toEqual([false, true, true, true])
  expect(await logOf(panel, job_id)).toEqual([
    '1 message is deleted',
    `These were not in the queue any more: ${ids.slice(1).join(', ')}`,
  ])
  const token = await resellerToken(panel, rita.id, ['create-user-session'])
  expect(idsIn(await panel.get('/mail/queue', { token }))).toEqual([ids[2]])
  expect(problem(await panel.get(`/mail/queue?account_id=${bob.id}`, { token }))[0]).toBe(404)
  expect(problem(await panel.post('/mail/queue/delete', { account_id: bob.id }, { token }))[0]).toBe(404)
  panel.forget()
  expect(accepted(await panel.post('/mail/queue/delete', { older_than_s: 0 }, { token })).matched).toBe(1)
  await panel.settle()
  expect(ids.map(has)).toEqual([false, true, false, true])
  expect(idsIn(await panel.get(`/accounts/${carol.id}/email/queue`))).toEqual([])
})

test('messages are held, released and retried', async () => {
  const { panel, read, alice } = await withQueue()
  for (const [verb, body, expected] of [
    ['hold', { ids: [ids[0], ids[1]] }, 2],
    ['retry', { account_id: alice.id }, 0],
    ['release', { held: true }, 3],
    ['retry', { ids: [ids[0]] }, 1],
  ] as const) {
    panel.forget()
    expect([verb, accepted(await panel.post(`/mail/queue/${verb}`, body)).matched]).toEqual([verb, expected])
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mail.queue.change succeeded'] })
  }
  expect(read(ids[0])).toMatchObject({ onHold: false, nextAttemptAt: expect.any(Number) })
  expect(read(ids[1])).not.toHaveProperty('nextAttemptAt')
})

test('a change without ids or filter is refused, and so are malformed ids', async () => {
  const { panel, alice } = await withQueue()
  const account = `/accounts/${alice.id}/email/queue/delete`
  for (const [path, body, field] of [
    ['/mail/queue/delete', {}, 'ids'],
    [account, {}, 'ids'],
    [account, { ids: [] }, 'ids'],
    [account, { ids: ['ALL'] }, 'ids'],
    [account, { ids: ['-d ALLALL'] }, 'ids'],
    [account, { ids: ['4jbtcD1XDvzJDKa\nALL'] }, 'ids'],
    [account, { ids: Array.from({ length: 501 }, () => ids[0]) }, 'ids'],
    [account, { sender: 'a\nb@ext.example' }, 'sender'],
    [account, { recipient_domain: '../x' }, 'recipient_domain'],
    [account, { account_id: alice.id }, 'account_id'],
    ['/mail/queue/hold', { held: 'true' }, 'held'],
    ['/mail/queue/retry', { older_than_s: -1 }, 'older_than_s'],
  ] as const)
    expect(problem(await panel.post(path, body)), JSON.stringify(body).slice(0, 80)).toEqual([400, 'validation', field])
  for (const query of ['limit=501', 'limit=0', 'after=1', 'after=1-ALL', 'after=x-4jbtcD1XDvzJDKa', 'q=x'])
    expect((await panel.get(`/mail/queue?${query}`)).status, query).toBe(400)
  expect(await occurred(panel)).toEqual(nothing)
})

test('a message that arrives after the request is not deleted with those before', async () => {
  const { panel, put, has, now, uidOf, alice } = await withQueue()
  const late = '4jbtcD1XDvzJDKe'
  accepted(await panel.post('/mail/queue/delete', { sender: 'w@ext.example' }))
  put(late, { arrivedAt: now + 1, uid: uidOf(alice) })
  await panel.settle()
  expect([...ids, late].map(has)).toEqual([true, false, false, true, true])
})
