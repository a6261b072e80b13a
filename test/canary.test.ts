import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from './harness.ts'

const password = 'Canary-7f3a-in-the-mine'
const changed = 'Canary-9b1c-in-the-mine'

/** Every byte below a directory: the store, its log of writes, and what was rendered for the host. */
function bytesBelow(dir: string): Buffer {
  const paths = readdirSync(dir, { recursive: true }) as string[]
  const files = paths.map((path) => join(dir, path)).filter((path) => statSync(path).isFile())
  expect(files.some((path) => path.endsWith('panel.db-wal'))).toBe(true)
  return Buffer.concat(files.map((path) => readFileSync(path)))
}

/** What callers can read back, whoever they are. */
async function readable(panel: TestPanel, id: string): Promise<string> {
  const paths = [
    '/accounts',
    `/accounts/${id}`,
    '/jobs',
    '/events',
    '/audit?per_page=500',
    '/tokens',
    `/accounts/${id}/tokens`,
  ]
  const replies = await Promise.all(paths.map((path) => panel.get(path)))
  return JSON.stringify(replies.map(({ body }) => body))
}

test('a password and the secret of a token are nowhere in clear', async () => {
  const panel = await startPanel()
  const key = { headers: { 'Idempotency-Key': 'canary' } }
  const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example', password }, key)
  const { id } = made.body.account
  await panel.settle()
  await panel.post(`/accounts/${id}/password`, { new_password: changed }, key)
  const { secret } = (await panel.post('/tokens', { name: 'x', scopes: ['full-access'] })).body
  const own = (await panel.post(`/accounts/${id}/tokens`, { name: 'y', scopes: ['full-access'] })).body.secret
  for (const token of [secret, own]) await panel.get(`/accounts/${id}`, { token })
  const signedIn = await panel.post('/user/auth/login', { username: 'alice', password: changed }, { from: '192.0.2.1' })
  const cookie = signedIn.headers.get('set-cookie')!.split(/[=;]/)[1]!
  await panel.post('/user/auth/login', { username: 'alice', password }, { from: '192.0.2.1' })
  for (const wrong of [
    { password, odd: 1 },
    { username: 'root', domain: 'x.example', password },
    { password: [password] },
  ]) {
    const refused = await panel.post('/accounts', wrong)
    expect([refused.status, JSON.stringify(refused.body).includes('anary')]).toEqual([400, false])
  }
  await panel.clock.advance(120_000)
  const canaries = [password, changed, secret, own, secret.slice(12, -6), own.slice(12, -6), cookie]
  const stored = bytesBelow(panel.dir)
  const told = [await readable(panel, id), panel.logged.join('\n')]
  for (const canary of canaries) {
    expect(canary.length).toBeGreaterThan(20)
    expect(stored.includes(canary)).toBe(false)
    expect(stored.includes(Buffer.from(canary).toString('base64').replace(/=+$/, '').slice(0, -1))).toBe(false)
    for (const text of told) expect(text).not.toContain(canary)
  }
  expect(stored.includes(secret.slice(0, 12))).toBe(true)
  expect(stored.includes('$argon2id$')).toBe(true)
})
