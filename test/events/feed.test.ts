import { describe, expect, test } from 'vitest'
import { eventTypes, webhookBody } from '../../src/contract/events.ts'
import { recordEvent } from '../../src/runtime/events/emit.ts'
import { prune } from '../../src/runtime/events/prune.ts'
import { turns } from '../clock.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'

const day = 24 * 3_600_000

/** Creates an event of the server per name. */
async function happen(panel: TestPanel, ...names: string[]): Promise<void> {
  for (const name of names) expect((await panel.post('/packages', { name })).status).toBe(201)
}

const seqs = (reply: Reply): number[] => reply.body.items.map(({ seq }: Json) => seq)
const typesOf = (reply: Reply): string[] => reply.body.items.map(({ type }: Json) => type)

describe('page of the feed', () => {
  test('lists events oldest first, without repeats or gaps between pages', async () => {
    const panel = await startPanel()
    await happen(panel, ...'abcdefg')
    const first = await panel.get('/events?limit=3')
    const second = await panel.get(`/events?limit=3&after=${first.body.next}`)
    const third = await panel.get(`/events?limit=3&after=${second.body.next}`)
    expect([first, second, third].map(seqs)).toEqual([[1, 2, 3], [4, 5, 6], [7]])
    expect([first, second, third].map(({ body }) => body.next)).toEqual([3, 6, 7])
    const end = await panel.get('/events?after=7')
    expect([end.status, end.body]).toEqual([200, { items: [], next: 7 }])
    expect((await panel.get('/events?after=0')).body).toEqual((await panel.get('/events')).body)
  })

  test('lists events newest first, from page to page, also of some types and of an account', async () => {
    const panel = await startPanel()
    await happen(panel, ...'abcde')
    const first = await panel.get('/events?limit=2&order=desc')
    const second = await panel.get(`/events?limit=2&order=desc&before=${first.body.next}`)
    const third = await panel.get(`/events?limit=2&order=desc&before=${second.body.next}`)
    expect([first, second, third].map(seqs)).toEqual([[5, 4], [3, 2], [1]])
    expect((await panel.get(`/events?order=desc&before=${third.body.next}`)).body).toEqual({ items: [], next: 0 })
    expect(seqs(await panel.get('/events?order=desc&after=2&type=package.created,account.created'))).toEqual([5, 4, 3])
    const alice = await panel.account('alice')
    const own = await panel.get(`/accounts/${alice.id}/events?order=desc`)
    expect([...seqs(own)].sort((one, other) => other - one)).toEqual(seqs(own))
    expect(seqs(own).length).toBeGreaterThan(1)
    expect((await panel.get('/events?order=newest')).body.fields).toHaveProperty('order')
  })

  test('contains what a webhook posts, with the seq and without the server', async () => {
    const panel = await startPanel()
    await happen(panel, 'small')
    const { items } = (await panel.get('/events')).body
    const { seq, ...event } = items[0]
    expect(seq).toBe(1)
    expect(webhookBody('package.created').omit({ server: true }).parse(event)).toEqual(event)
  })

  test('has 100 events by default, and up to 500', async () => {
    const panel = await startPanel()
    await many(panel, 600)
    expect((await panel.get('/events')).body.items).toHaveLength(100)
    expect((await panel.get('/events?limit=500')).body.items).toHaveLength(500)
    expect((await panel.get('/events?limit=1')).body.items).toHaveLength(1)
    for (const query of [
      'limit=0',
      'limit=501',
      'limit=x',
      'after=-1',
      'after=x',
      'after=1&after=2',
      'wait=31',
      'x=1',
    ]) {
      const refused = await panel.get(`/events?${query}`)
      expect([query, refused.status, refused.code]).toEqual([query, 400, 'validation'])
    }
  })

  test('continues a filtered page from the newest event, and never scans twice', async () => {
    const panel = await startPanel()
    await panel.account('alice')
    await happen(panel, 'a', 'b', 'c')
    const filtered = await panel.get('/events?type=account.*')
    expect(typesOf(filtered)).toEqual(['account.created'])
    expect(filtered.body.next).toBe(5)
    const full = await panel.get('/events?type=package.created&limit=2')
    expect(full.body.next).toBe(seqs(full).at(-1))
    expect((await panel.get(`/events?type=package.created&limit=2&after=${full.body.next}`)).body.next).toBe(5)
  })

  test('accepts types and group patterns, and names the invalid one', async () => {
    const panel = await startPanel()
    await panel.account('alice')
    await happen(panel, 'small')
    expect(typesOf(await panel.get('/events?type=package.created,account.created'))).toEqual([
      'account.created',
      'package.created',
    ])
    expect(typesOf(await panel.get('/events?type=job.*,package.*'))).toEqual(['job.completed', 'package.created'])
    expect(typesOf(await panel.get('/events?type=dns.record.*'))).toEqual([])
    expect(typesOf(await panel.get('/events?type=*'))).toHaveLength(3)
    expect(typesOf(await panel.get(`/events?type=${eventTypes.join(',')}`))).toHaveLength(3)
    for (const type of ['nothing.*', 'account', '', 'account.created,', "x'--", 'account.exploded']) {
      const refused = await panel.get(`/events?type=${encodeURIComponent(type)}`)
      expect([type, refused.status, Object.keys(refused.body.fields)]).toEqual([type, 400, ['type']])
    }
  })

  test('returns an empty page beyond the newest event, and says where the newest is', async () => {
    const panel = await startPanel()
    await happen(panel, 'small')
    for (const after of [2, 1000, Number.MAX_SAFE_INTEGER, '9223372036854775807', '18446744073709551615'])
      expect((await panel.get(`/events?after=${after}`)).body).toEqual({ items: [], next: 1 })
    expect((await panel.get('/events?after=1e30')).code).toBe('validation')
  })

  test('returns an empty page of an empty store', async () => {
    const panel = await startPanel()
    expect((await panel.get('/events')).body).toEqual({ items: [], next: 0 })
  })
})

describe('events since a time', () => {
  test('starts with the first event at or after the time, whatever was pruned', async () => {
    const panel = await startPanel()
    const start = panel.clock.now()
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await happen(panel, name)
      panel.clock.jump(1000)
    }
    const since = async (ms: number, more = '') => seqs(await panel.get(`/events?since=${start + ms}${more}`))
    expect(await since(-5000)).toEqual([1, 2, 3, 4, 5])
    expect(await since(0)).toEqual([1, 2, 3, 4, 5])
    expect(await since(1)).toEqual([2, 3, 4, 5])
    expect(await since(3000)).toEqual([4, 5])
    expect(await since(4001)).toEqual([])
    expect(await since(1000, '&after=3')).toEqual([4, 5])
    expect(await since(3000, '&after=1')).toEqual([4, 5])
    expect((await panel.get(`/events?since=${start + 9000}`)).body).toEqual({ items: [], next: 5 })
    await panel.store.change(() => void panel.store.sqlite.exec('DELETE FROM events WHERE seq IN (1, 2, 4)'))
    expect(await since(-5000)).toEqual([3, 5])
    expect(await since(1500)).toEqual([3, 5])
    expect(await since(2500)).toEqual([5])
    expect((await panel.get(`/events?since=${start}`)).body).not.toHaveProperty('gap')
  })
})

describe('events that were pruned', () => {
  test('reports a gap to readers who missed pruned events, and reuses no seq', async () => {
    const panel = await startPanel()
    await happen(panel, 'a', 'b', 'c')
    panel.clock.jump(30 * day + 1)
    await prune(panel.panel.runtime)
    expect((await panel.get('/events?after=1')).body).toEqual({ items: [], next: 3, gap: true })
    expect((await panel.get('/events?after=3')).body).toEqual({ items: [], next: 3 })
    expect((await panel.get('/events')).body).toEqual({ items: [], next: 3 })
    await happen(panel, 'd')
    expect(seqs(await panel.get('/events?after=2'))).toEqual([4])
    expect((await panel.get('/events?after=2')).body.gap).toBe(true)
    expect((await panel.get('/events?after=3')).body).not.toHaveProperty('gap')
    await panel.panel.stop()
  })

  test('keeps events for 30 days to the millisecond, and prunes them in small steps', async () => {
    const panel = await startPanel()
    await many(panel, 1200)
    panel.clock.jump(30 * day)
    await prune(panel.panel.runtime)
    const count = () => panel.store.sqlite.prepare('SELECT count(*) FROM events').pluck().get()
    expect(count()).toBe(1200)
    panel.clock.jump(1)
    await prune(panel.panel.runtime)
    expect(count()).toBe(0)
  })
})

describe('feed of an account', () => {
  test('contains only events that accounts may receive', async () => {
    const panel = await startPanel()
    const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
    await happen(panel, 'small')
    await panel.delete(`/accounts/${bob.id}?confirm=bob`)
    const path = `/accounts/${alice.id}/events`
    expect(typesOf(await panel.get(path))).toEqual(['account.created', 'job.completed'])
    expect(typesOf(await panel.get(`${path}?type=account.*`))).toEqual(['account.created'])
    expect(typesOf(await panel.get(`${path}?type=account.terminated,package.*`))).toEqual([])
    expect((await panel.get(path)).body.next).toBe((await panel.get('/events')).body.next)
    expect(typesOf(await panel.get(`/accounts/${bob.id}/events`))).not.toContain('account.terminated')
  })
})

/** Sends a request and runs it to the point where it waits. */
async function waiting(
  panel: TestPanel,
  path: string,
  token?: string,
): Promise<{ reply: () => Reply | undefined; done: Promise<Reply> }> {
  let reply: Reply | undefined
  const done = panel.get(path, token ? { token } : {}).then((one) => {
    reply = one
    return one
  })
  await turns()
  return { reply: () => reply, done }
}

describe('call that waits for events', () => {
  test('returns at once if there is something', async () => {
    const panel = await startPanel()
    await happen(panel, 'small')
    expect(seqs(await panel.get('/events?wait=30'))).toEqual([1])
    expect((await panel.get('/events?wait=30&after=99')).body).toEqual({ items: [], next: 1 })
  })

  test('returns the event it waits for, and no other', async () => {
    const panel = await startPanel()
    await happen(panel, 'a')
    const any = await waiting(panel, '/events?after=1&wait=30')
    const accounts = await waiting(panel, '/events?after=1&wait=30&type=account.*')
    await happen(panel, 'b')
    expect(seqs(await any.done)).toEqual([2])
    await turns()
    expect(accounts.reply()).toBeUndefined()
    await panel.account('alice')
    expect(typesOf(await accounts.done)).toEqual(['account.created'])
  })

  test('returns empty after its timeout', async () => {
    const panel = await startPanel()
    const one = await waiting(panel, '/events?wait=5')
    await panel.clock.advance(4_900)
    expect(one.reply()).toBeUndefined()
    await panel.clock.advance(200)
    expect((await one.done).body).toEqual({ items: [], next: 0 })
  })

  test('answers a waiting call at once when the server stops', async () => {
    const panel = await startPanel()
    const calls = await Promise.all([waiting(panel, '/events?wait=30'), waiting(panel, '/events?wait=30')])
    panel.panel.beginStop()
    expect((await Promise.all(calls.map(({ done }) => done))).map(({ status }) => status)).toEqual([200, 200])
  })

  test('gets nothing with a token that was revoked meanwhile', async () => {
    const panel = await startPanel()
    const token = await panel.token(['server:read'])
    const { id } = (await panel.get('/tokens')).body.items[0]
    const one = await waiting(panel, '/events?wait=30', token)
    await panel.delete(`/tokens/${id}`)
    await happen(panel, 'small')
    const refused = await one.done
    expect([refused.status, refused.code]).toEqual([401, 'unauthenticated'])
    expect(JSON.stringify(refused.body)).not.toContain('small')
  })

  test('gets nothing for an account that was suspended, or whose feature was turned off meanwhile', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const token = await panel.token(['events:read'], { account: alice.id })
    const path = `/accounts/${alice.id}/events?after=1000000&wait=0`
    const { next } = (await panel.get(path, { token })).body
    const one = await waiting(panel, `/accounts/${alice.id}/events?after=${next}&wait=30`, token)
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    const refused = await one.done
    expect([refused.status, refused.code]).toEqual([403, 'account-suspended'])
    await panel.settle()
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.settle()
    const last = (await panel.get(path, { token })).body.next
    const two = await waiting(panel, `/accounts/${alice.id}/events?after=${last}&wait=30`, token)
    await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { api_tokens: false } })
    await panel.post(`/accounts/${alice.id}/password`, { new_password: 'correct horse battery' })
    expect((await two.done).code).toBe('feature-disabled')
  })

  test('allows each caller twenty waiting calls, and frees each when it ends', async () => {
    const panel = await startPanel()
    const token = await panel.token(['server:read'])
    const calls = []
    for (let count = 0; count < 20; count++) calls.push(await waiting(panel, '/events?wait=30', token))
    const refused = await panel.get('/events?wait=30', { token })
    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([503, 'overloaded', '1'])
    const other = await waiting(panel, '/events?wait=30')
    expect(other.reply()).toBeUndefined()
    await happen(panel, 'small')
    await Promise.all(calls.map(({ done }) => done))
    const again = await waiting(panel, '/events?after=1&wait=1', token)
    expect(again.reply()).toBeUndefined()
    await panel.clock.advance(1_100)
    expect((await again.done).status).toBe(200)
  })
})

/** Creates many events at once. */
async function many(panel: TestPanel, count: number): Promise<void> {
  const { runtime } = panel.panel
  const actor = { type: 'root', id: runtime.id() } as const
  await runtime.store.change(() => {
    for (let made = 0; made < count; made++)
      recordEvent(
        runtime,
        { type: 'package.created', object_id: actor.id, details: { name: 'x' } },
        actor,
        'api',
        actor.id,
      )
  })
}
