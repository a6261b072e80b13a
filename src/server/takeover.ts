import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { isLoopback } from '../shared/loopback.ts'
import { BackupProblem } from '../store/archive.ts'
import type { Intent, RestoreOptions } from '../store/restore.ts'

const REPLY_TIMEOUT_MS = 3_000

type RestoreTarget = Pick<RestoreOptions, 'dataDir' | 'file'>

/** The node credentials are encrypted with the key: a server without it could reach none of them. */
export function refuseWithoutKey({ dataDir, file }: RestoreTarget, { archive, key }: Intent): void {
  if (key === 'restored' || key === 'present') return
  const there = key === 'other' ? `the one in ${dataDir} is another` : `there is none in ${dataDir}`
  throw new BackupProblem(
    `${file} was written with a secret.key (${archive.key_id}) that is missing: ${there}`,
    `put the old server's secret.key there: install -m 600 <your copy> ${join(dataDir, 'secret.key')}`,
  )
}

/** Two servers of one fleet would undo each other's work: the old one must be down. */
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

/** The recorded URL of a store's server, and the URL by address: the name may point here by now. */
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

/** Without TLS, a server only listens on its own machine. */
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
 * Whether a panel responds there, healthy or not, or hangs and may go on later. Its certificate does not matter:
 * nothing is sent to it.
 */
function look(origin: string): Promise<keyof typeof sentences | undefined> {
  const get = origin.startsWith('https:') ? getSecure : getPlain
  return new Promise((resolve) => {
    const options = { rejectUnauthorized: false, timeout: REPLY_TIMEOUT_MS, agent: false as const }
    const call = get(`${origin}/healthz`, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve(/"status":"(ok|unhealthy)"/.test(text) ? 'answers' : undefined))
      answer.on('error', () => resolve(undefined))
    })
    call.on('timeout', () => {
      if (call.socket?.connecting === false) resolve('hangs')
      call.destroy()
    })
    call.on('error', () => resolve(undefined))
  })
}
