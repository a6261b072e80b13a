import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Json } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { startServer } from './server.ts'

/** As many as a slow machine completes within one test's timeout. */
const rounds = 10

describe('kill -9 during creates, twenty times', () => {
  let dir: string
  const acknowledged = new Map<string, string>()
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'panel-crash-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 10 }))

  test.each(['first', 'second'])(
    'acknowledges some creates each time of the %s ten',
    async (half) => {
      for (let round = 0; round < rounds; round++) {
        const server = await startServer(dir, { noTls: true })
        let answers = 0
        const creates = Array.from({ length: 12 }, async (_, n) => {
          const username = `${half}${round}n${n}`
          const reply = await server.send('POST', '/accounts', { username, domain: `${username}.example` })
          if (reply.status === 202) acknowledged.set(reply.body.account.id, reply.body.job_id)
          if (++answers === 1 + (round % 12)) server.child.kill('SIGKILL')
        })
        const settled = await Promise.allSettled(creates)
        expect(settled.some(({ status }) => status === 'fulfilled')).toBe(true)
        expect(await server.kill('SIGKILL')).toBe('SIGKILL')
      }
    },
    60_000,
  )

  test('loses nothing acknowledged, leaves no job stuck, and reports none twice', async () => {
    expect(acknowledged.size).toBeGreaterThanOrEqual(2 * rounds)
    const last = await startServer(dir, { noTls: true })
    const unfinished = async () => {
      const counts = ['queued', 'leased', 'running'].map(
        async (status) => (await last.send('GET', `/jobs?status=${status}`)).body.total,
      )
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    }
    await soon(async () => expect(await unfinished()).toBe(0))
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
    const received = "SELECT json_extract('{' || core || '}', '$.data.job_id') FROM events WHERE type = 'job.completed'"
    expect(count(`SELECT count(*) FROM (${received})`)).toBe(accounts.length)
    expect(count(`SELECT count(*) FROM (SELECT DISTINCT * FROM (${received}))`)).toBe(accounts.length)
    expect(count("SELECT count(*) FROM events WHERE type = 'job.failed'")).toBe(0)
    expect(count('PRAGMA integrity_check')).toBe('ok')
  }, 60_000)
})
