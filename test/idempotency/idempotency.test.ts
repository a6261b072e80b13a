import { describe, expect, test } from 'vitest'
import { type Send, startPanel, type TestPanel } from '../harness.ts'

const key = { headers: { 'Idempotency-Key': 'order-1' } }
const body = { username: 'alice', domain: 'alice.example', password: 'correct horse' }
const replayed = (reply: { headers: Headers }) => reply.headers.get('idempotency-replayed')
const total = async (panel: TestPanel) => (await panel.get('/accounts')).body.total

describe('Idempotency-Key', () => {
  test('returns the stored response without a second effect', async () => {
    const panel = await startPanel()
    const first = await panel.post('/accounts', body, key)
    await panel.settle()
    panel.forget()
    const again = await panel.post('/accounts', { ...body }, key)
    expect([first.status, again.status, again.body]).toEqual([202, 202, first.body])
    expect([replayed(first), replayed(again)]).toEqual([null, 'true'])
    await panel.settle()
    expect([panel.events(), panel.jobs(), await total(panel)]).toEqual([[], [], 1])
    expect((await panel.get('/audit?operation=createAccount')).body.total).toBe(1)
  })
  test('ignores the order of fields', async () => {
    const panel = await startPanel()
    await panel.post('/accounts', body, key)
    const again = await panel.post('/accounts', Object.fromEntries(Object.entries(body).reverse()), key)
    expect([again.status, replayed(again)]).toEqual([202, 'true'])
  })
  test('reports a key used for another request as a mismatch: other body, other account, other password', async () => {
    const panel = await startPanel()
    const alice = await panel.account('carl')
    const bob = await panel.account('bob')
    await panel.post('/accounts', body, key)
    const other = await panel.post('/accounts', { ...body, password: 'battery staple' }, key)
    expect([other.status, other.code]).toEqual([422, 'idempotency-mismatch'])
    await panel.post(`/accounts/${alice.id}/suspend`, {}, key)
    expect((await panel.post(`/accounts/${bob.id}/suspend`, {}, key)).code).toBe('idempotency-mismatch')
    expect((await panel.get(`/accounts/${bob.id}`)).body.status).toBe('active')
  })
  test('separates keys by operation', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' }, key)
    expect((await panel.post('/feature-lists', { name: 'small' }, key)).status).toBe(201)
  })
  test('separates keys by principal, whichever of its tokens is used', async () => {
    const panel = await startPanel()
    const carl = await panel.account('carl')
    const [one, two] = [await panel.token(['full-access']), await panel.token(['full-access'])]
    const suspend = (options: Send) =>
      panel.post(`/accounts/${carl.id}/suspend`, {}, { ...options, headers: key.headers })
    expect(replayed(await suspend({ token: one }))).toBe(null)
    expect(replayed(await suspend({ token: one }))).toBe('true')
    expect(replayed(await suspend({ token: two }))).toBe('true')
    expect(replayed(await suspend({}))).toBe('true')
  })
  test('has one effect for concurrent requests', async () => {
    const panel = await startPanel()
    const replies = await Promise.all(Array.from({ length: 8 }, () => panel.post('/accounts', body, key)))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(202))
    expect(new Set(replies.map((reply) => reply.body.job_id)).size).toBe(1)
    expect(replies.filter((reply) => replayed(reply) === null)).toHaveLength(1)
    await panel.settle()
    expect(panel.events()).toEqual(['account.created', 'job.completed'])
  })
  test('frees the key of a refused request for the next', async () => {
    const panel = await startPanel()
    expect((await panel.post('/accounts', { ...body, username: 'root' }, key)).status).toBe(400)
    expect((await panel.post('/accounts', body, key)).status).toBe(202)
  })
  test('expires after 24 hours, not before', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' }, key)
    panel.clock.jump(24 * 3_600_000 - 1)
    expect((await panel.post('/packages', { name: 'large' }, key)).code).toBe('idempotency-mismatch')
    panel.clock.jump(1)
    expect((await panel.post('/packages', { name: 'large' }, key)).status).toBe(201)
    expect(replayed(await panel.post('/packages', { name: 'large' }, key))).toBe('true')
  })
  test('deletes an old key from the store', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' }, key)
    const stored = () => panel.store.sqlite.prepare('SELECT count(*) FROM idempotency').pluck().get()
    expect(stored()).toBe(1)
    await panel.clock.leap(26 * 3_600_000)
    expect(stored()).toBe(0)
  })
  test('refuses a key if the response contains a secret, and creates nothing', async () => {
    const panel = await startPanel()
    const refused = await panel.post('/tokens', { name: 'x', scopes: ['full-access'] }, key)
    expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, ['Idempotency-Key']])
    expect((await panel.get('/tokens')).body.total).toBe(0)
  })
  test('refuses a key if the body contains a secret, and creates nothing', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const password = 'canary-Whimbrel-4731'
    const asks = [
      ['email/accounts', { address: 'info@alice.example', password }],
      ['mysql/users', { name: 'app', password }],
      ['ftp/accounts', { login: 'deploy@alice.example', password }],
      ['password', { new_password: password }],
    ] as const
    for (const [path, body] of asks) {
      const refused = await panel.post(`/accounts/${id}/${path}`, body, key)
      expect([path, refused.status, Object.keys(refused.body.fields)]).toEqual([path, 400, ['Idempotency-Key']])
    }
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
  test('accepts keys of 1 to 255 printable characters', async () => {
    const panel = await startPanel()
    for (const bad of ['', 'a b', 'x'.repeat(256), 'caf\u00E9']) {
      const reply = await panel.post('/packages', { name: 'small' }, { headers: { 'Idempotency-Key': bad } })
      expect([bad, reply.status]).toEqual([bad, 400])
    }
    const MAX_KEY_LENGTH = { headers: { 'Idempotency-Key': 'x'.repeat(255) } }
    expect((await panel.post('/packages', { name: 'small' }, MAX_KEY_LENGTH)).status).toBe(201)
  })
  test('stores only an HMAC of the request', async () => {
    const panel = await startPanel()
    await panel.post('/accounts', body, key)
    const row = JSON.stringify(panel.store.sqlite.prepare('SELECT * FROM idempotency').all())
    expect(row).not.toContain('correct horse')
    expect(row).toMatch(/"request":"[0-9a-f]{64}"/)
  })
  test('ignores a key on a change that is not a POST', async () => {
    const panel = await startPanel()
    const { id } = (await panel.post('/packages', { name: 'small' })).body
    for (const name of ['one', 'two'])
      expect((await panel.patch(`/packages/${id}`, { name }, key)).body.name).toBe(name)
  })
})
