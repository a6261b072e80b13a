import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { type Json, type PanelOptions, type Reply, type Send, startPanel, type TestPanel } from '../harness.ts'

export { nothing, occurred, problem }

export const password = 'correct horse battery'

/** The host's files. */
export const host = (panel: TestPanel) => ({
  has: (path: string) => existsSync(join(panel.dir, 'host', path)),
  /** Empty if there is none. */
  read: (path: string) => {
    const file = join(panel.dir, 'host', path)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  },
  map: (map: string, username = 'alice') => {
    const file = join(panel.dir, 'host/etc/panel/mail', `${map}.d`, username)
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  },
})

/** The body of an accepted change. */
export function accepted(reply: Reply): Json {
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply.body
}

/** The mail of an account. */
export function mailOf(panel: TestPanel, account: string) {
  const path = `/accounts/${account}/email`
  const ask = (address: string, fields: Record<string, unknown> = {}, send: Send = {}): Promise<Reply> =>
    panel.post(`${path}/accounts`, { address, password, ...fields }, send)
  const forward = (address: string, destinations: readonly string[], fields: object = {}): Promise<Reply> =>
    panel.post(`${path}/forwarders`, { address, destinations, ...fields })
  const settled = async (reply: Reply): Promise<Json> => {
    const body = accepted(reply)
    await panel.settle()
    panel.forget()
    return body
  }
  return {
    path,
    ask,
    forward,
    settled,
    /** An active mailbox, whose events and jobs are forgotten. */
    mailbox: async (address: string, fields: Record<string, unknown> = {}): Promise<Json> => {
      const { mailbox } = await settled(await ask(address, fields))
      return { ...mailbox, path: `${path}/accounts/${mailbox.id}` }
    },
    forwarder: async (address: string, destinations: readonly string[], fields: object = {}): Promise<Json> => {
      const { forwarder } = await settled(await forward(address, destinations, fields))
      return { ...forwarder, path: `${path}/forwarders/${forwarder.id}` }
    },
  }
}

/** A panel with the account alice, and helpers for her mail. */
export async function withMail(options: PanelOptions = {}, fields: Record<string, unknown> = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice', fields)
  return { panel, alice, ...mailOf(panel, alice.id), ...host(panel) }
}
