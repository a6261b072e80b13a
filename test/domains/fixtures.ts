import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Json, type PanelOptions, type Reply, type Send, startPanel, type TestPanel } from '../harness.ts'

/** What happened since the last call: events and jobs. */
export const nothing = { events: [], jobs: [] }

export async function occurred(panel: TestPanel) {
  await panel.settle()
  return { events: panel.events(), jobs: panel.jobs() }
}

/** Status, code and the names of the invalid fields. */
export const problem = (reply: Reply): unknown[] => [reply.status, reply.code, ...Object.keys(reply.body.fields ?? {})]

/** A panel with the account alice, and helpers for her domains. */
export async function withAlice(options: PanelOptions = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice')
  return { panel, alice, ...domainsIn(panel, alice.id) }
}

export function domainsIn(panel: TestPanel, account: string) {
  const path = `/accounts/${account}/domains`
  const ask = (name: string, fields: Record<string, unknown> = {}, send: Send = {}): Promise<Reply> =>
    panel.post(path, { name, ...fields }, send)
  return {
    path,
    ask,
    /** An active domain, whose events and jobs are forgotten. */
    async domain(name: string, fields: Record<string, unknown> = {}): Promise<Json> {
      const reply = await ask(name, fields)
      expect(reply.status, JSON.stringify(reply.body)).toBe(202)
      await panel.settle()
      panel.forget()
      return (await panel.get(`${path}/${reply.body.domain.id}`)).body
    },
    named: async (name: string): Promise<Json> =>
      (await panel.get(`${path}?per_page=500`)).body.items.find((one: Json) => one.name === name),
  }
}

/** The host's files. */
export const host = (panel: TestPanel) => ({
  path: (path: string) => join(panel.dir, 'host', path),
  has: (path: string) => existsSync(join(panel.dir, 'host', path)),
  vhost: (file: string) => readFileSync(join(panel.dir, 'host/etc/panel/nginx/sites', `${file}.conf`), 'utf8'),
})

/** Lets a failing job use all its attempts. */
export async function exhaust(panel: TestPanel): Promise<void> {
  for (let attempt = 0; attempt < 6; attempt++) {
    await panel.settle()
    await panel.clock.advance(20 * 60_000)
  }
  await panel.settle()
}
