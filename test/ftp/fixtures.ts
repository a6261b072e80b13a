import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Json, type PanelOptions, type Reply, startPanel, type TestPanel } from '../harness.ts'

export { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'

export const password = 'canary-Goosander-8851'
export const hash = /\$6\$[./A-Za-z0-9]{16}\$[./A-Za-z0-9]{86}/

export function ftpOf(panel: TestPanel, account: string) {
  const path = `/accounts/${account}/ftp`
  const ask = (login: string, fields: object = {}): Promise<Reply> =>
    panel.post(`${path}/accounts`, { login, password, ...fields })
  return {
    path,
    ask,
    /** An active login, whose events and jobs are forgotten. */
    async login(login: string, fields: object = {}): Promise<Json> {
      const reply = await ask(login, fields)
      expect(reply.status, JSON.stringify(reply.body)).toBe(202)
      await panel.settle()
      panel.forget()
      return { ...reply.body.ftp_account, path: `${path}/accounts/${reply.body.ftp_account.id}` }
    },
  }
}

/** The host's files. */
export const host = (panel: TestPanel) => {
  const at = (path: string) => join(panel.dir, 'host', path)
  return {
    at,
    has: (path: string) => existsSync(at(path)),
    mode: (path: string) => (lstatSync(at(path)).mode & 0o7777).toString(8),
    /** Lines of logins, with `$6$…` for each hash; none if there is no file. */
    passwd: (username = 'alice'): string[] => {
      const file = at(`etc/panel/ftp/passwd.d/${username}`)
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replace(hash, '$6$…'))
    },
    quotas: (username = 'alice'): string => {
      const file = at(`etc/panel/ftp/quotas.d/${username}`)
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    },
  }
}

/** A panel with the account alice, and helpers for her logins. */
export async function withAlice(options: PanelOptions = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice')
  return { panel, alice, ...ftpOf(panel, alice.id) }
}
