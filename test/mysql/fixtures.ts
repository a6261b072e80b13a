import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Json, type PanelOptions, type Reply, startPanel, type TestPanel } from '../harness.ts'

export { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'

export const password = 'canary-Kingfisher-5521'
/** Its hash, as computed by MariaDB's PASSWORD(). */
export const hashed = '*0DC170BDA6812F3BC6A68403149D07F7EF3C6C7A'

const id = expect.stringMatching(/^[0-9A-Z]{26}$/)
export const job_id = id

export function mysqlOf(panel: TestPanel, account: string) {
  const path = `/accounts/${account}/mysql`
  const made = async (reply: Reply): Promise<Json> => {
    expect(reply.status, JSON.stringify(reply.body)).toBe(202)
    await panel.settle()
    panel.forget()
    return reply.body
  }
  return {
    path,
    /** An active one, whose events and jobs are forgotten. */
    database: async (name: string, fields = {}): Promise<Json> =>
      (await made(await panel.post(`${path}/databases`, { name, ...fields }))).database,
    user: async (name: string): Promise<Json> =>
      (await made(await panel.post(`${path}/users`, { name, password }))).user,
    host: async (host: string): Promise<Json> => (await made(await panel.post(`${path}/hosts`, { host }))).host,
    grant: async (database: Json, user: Json, privileges?: string[]): Promise<Json> =>
      made(await panel.put(`${path}/databases/${database.id}/users/${user.id}`, privileges ? { privileges } : {})),
  }
}

/** The statements of an account on its host, without the header. */
export function sqlOf(panel: TestPanel, username = 'alice'): string[] {
  const file = join(panel.dir, 'host/etc/panel/db.d', `${username}.sql`)
  if (!existsSync(file)) return []
  const [owner, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(owner).toMatch(/^# panel account [0-9A-Z]{26}$/)
  return lines
}

/** A panel with the account alice, and helpers for her databases. */
export async function withAlice(options: PanelOptions = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice')
  return { panel, alice, ...mysqlOf(panel, alice.id) }
}

/** All events so far by type, with their data. */
export const received = async (panel: TestPanel, type: string): Promise<Json[]> =>
  (await panel.get(`/events?type=${type}&limit=500`)).body.items.map(({ data }: Json) => data)
