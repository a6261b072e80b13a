import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isLoopback } from '../shared/loopback.ts'
import { BackupProblem } from '../store/archive.ts'
import type { Intent, RestoreOptions } from '../store/restore.ts'

const patience = 3_000

type Given = Pick<RestoreOptions, 'dataDir' | 'file'>

/** What nodes trust is sealed by the key: a server without it could not reach one of them. */
export function refuseWithoutKey({ dataDir, file }: Given, { archive, key }: Intent): void {
  if (key === 'restored' || key === 'present') return
  const there = key === 'other' ? `the one in ${dataDir} is another` : `there is none in ${dataDir}`
  throw new BackupProblem(
    `${file} was written with a secret.key (${archive.key_id}) that is missing: ${there}`,
    `put the old server's secret.key there: install -m 600 <your copy> ${join(dataDir, 'secret.key')}`,
  )
}

/** Two servers of one fleet would undo each other's work: the old one must not answer any more. */
export async function refuseWhileServed(file: string): Promise<void> {
  for (const origin of servedAt(file)) {
    const found = await look(origin)
    if (found)
      throw new BackupProblem(
        `the old server ${sentences[found]} at ${origin}`,
        'stop it first: systemctl disable --now panel',
      )
  }
}

/** Where the server of a store said that it could be reached, and its address: the name may lead here by now. */
function servedAt(file: string): string[] {
  const sqlite = new Database(file, { readonly: true })
  try {
    const one = (query: string) => sqlite.prepare(query).pluck().get() as string | undefined
    const value = one("SELECT value FROM settings WHERE name = 'served_at'")
    if (value === undefined) return []
    const origin: string = JSON.parse(value)
    return [origin, ...byAddress(origin, one('SELECT address FROM ips WHERE main'))]
  } finally {
    sqlite.close()
  }
}

/** Without TLS a server answers on its own machine alone. */
function byAddress(origin: string, address: string | undefined): string[] {
  if (address === undefined || isLoopback(address) || !origin.startsWith('https:')) return []
  const { port } = new URL(origin)
  const host = address.includes(':') ? `[${address}]` : address
  return [`https://${host}${port && `:${port}`}`]
}

const sentences = {
  answers: 'still answers',
  hangs: 'still takes connections, though it does not answer,',
}

/**
 * Whether a panel answers there, well or not, or something hangs: it may go on later. Whose certificate it is does not
 * matter: nothing is told to it.
 */
function look(origin: string): Promise<keyof typeof sentences | undefined> {
  const get = origin.startsWith('https:') ? getSecure : getPlain
  return new Promise((resolve) => {
    const options = { rejectUnauthorized: false, timeout: patience, agent: false as const }
    const call = get(`${origin}/healthz`, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve(/"status":"(ok|unwell)"/.test(text) ? 'answers' : undefined))
      answer.on('error', () => resolve(undefined))
    })
    call.on('timeout', () => {
      if (call.socket?.connecting === false) resolve('hangs')
      call.destroy()
    })
    call.on('error', () => resolve(undefined))
  })
}
