import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Json } from '../harness.ts'
import { place, startServer } from './server.ts'

const rounds = 20

test('kill -9 during creates, twenty times: nothing acknowledged is lost, no job is stuck or told twice', async () => {
  const dir = place()
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(dir, { noTls: true })
    let answers = 0
    const creates = Array.from({ length: 12 }, async (_, n) => {
      const username = `r${round}n${n}`
      const reply = await server.send('POST', '/accounts', { username, domain: `${username}.example` })
      if (reply.status === 202) acknowledged.set(reply.body.account.id, reply.body.job_id)
      if (++answers === 1 + (round % 12)) server.child.kill('SIGKILL')
    })
    const settled = await Promise.allSettled(creates)
    expect(settled.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(await server.kill('SIGKILL')).toBe('SIGKILL')
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(rounds)
  const last = await startServer(dir, { noTls: true })
  const unfinished = async () => {
    const counts = ['queued', 'leased', 'running'].map(
      async (status) => (await last.send('GET', `/jobs?status=${status}`)).body.total,
    )
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  }
  await vi.waitFor(async () => expect(await unfinished()).toBe(0), { timeout: 10_000, interval: 20 })
  const accounts: Json[] = (await last.send('GET', '/accounts?per_page=500')).body.items
  const active = new Set(accounts.filter(({ status }) => status === 'active').map(({ id }) => id))
  expect([...acknowledged.keys()].filter((id) => !active.has(id))).toEqual([])
  expect(active.size).toBe(accounts.length)
  expect(await last.kill('SIGTERM')).toBe(0)
  const store = new Database(join(dir, 'panel.db'), { readonly: true })
  onTestFinished(() => void store.close())
  const count = (text: string) => store.prepare(text).pluck().get()
  expect(count("SELECT count(*) FROM jobs WHERE status <> 'succeeded'")).toBe(0)
  expect(count('SELECT count(*) FROM jobs')).toBe(accounts.length)
  const told = "SELECT json_extract('{' || core || '}', '$.data.job_id') FROM events WHERE type = 'job.completed'"
  expect(count(`SELECT count(*) FROM (${told})`)).toBe(accounts.length)
  expect(count(`SELECT count(*) FROM (SELECT DISTINCT * FROM (${told}))`)).toBe(accounts.length)
  expect(count("SELECT count(*) FROM events WHERE type = 'job.failed'")).toBe(0)
  expect(count('PRAGMA integrity_check')).toBe('ok')
}, 60_000)
