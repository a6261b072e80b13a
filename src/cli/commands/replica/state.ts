import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { socketPath } from '../../../shared/directory.ts'
import { type Progress, progressOf, type Replica } from '../../../shared/replica.ts'
import { size } from '../doctor/check.ts'

/** Where the index of a log says how large pages are, and how many of them it holds (https://sqlite.org/walformat.html). */
const place = { page: 14, frames: 16, end: 20 }
const headOfFrame = 24

/** How many bytes of the store's log are in use: one that is emptied keeps its size. Nothing where its index does not say. */
function usedOfLog(dataDir: string): number | undefined {
  const head = headOf(join(dataDir, 'panel.db-shm'))
  if (!head) return undefined
  const page = head.readUInt16LE(place.page)
  return head.readUInt32LE(place.frames) * ((page === 1 ? 65_536 : page) + headOfFrame)
}

function headOf(index: string): Buffer | undefined {
  try {
    const [handle, head] = [openSync(index, 'r'), Buffer.alloc(place.end)]
    try {
      return readSync(handle, head) === place.end ? head : undefined
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}

/** The state of a store's replica. */
export interface ReplicaState {
  readonly to: string
  readonly state: 'running' | 'stuck' | 'stopped'
  /** One sentence. */
  readonly message: string
  /** The replica's age, as measured by a running server. */
  readonly age_seconds?: number
  readonly store_bytes: number
  readonly log_bytes: number
}

/** An older replica counts as not up to date. */
const oldest = 30
/** Beyond this the replicator no longer empties the WAL. */
const MAX_LOG_BYTES = 256_000_000
/** Several polls of the replicator. */
const POLL_INTERVAL_MS = 1_500

export async function stateOf(dataDir: string, replica: Replica): Promise<ReplicaState> {
  const [before, age] = await Promise.all([progressOf(replica), ageIn(dataDir)])
  const after = before && (await later(replica))
  const bytes = (end: string): number => statSync(join(dataDir, `panel.db${end}`), { throwIfNoEntry: false })?.size ?? 0
  const log_bytes = bytes('-wal')
  const checked = check(replica, before, after, age)
  return {
    to: replica.to,
    ...(checked.state === 'running' ? (longLog(dataDir, log_bytes) ?? checked) : checked),
    ...(age !== undefined && { age_seconds: age }),
    store_bytes: bytes(''),
    log_bytes,
  }
}

function longLog(dataDir: string, bytes: number): CheckResult | undefined {
  if (bytes <= MAX_LOG_BYTES) return undefined
  const isEmptied = (usedOfLog(dataDir) ?? bytes) <= MAX_LOG_BYTES
  const why = isEmptied
    ? 'it is emptied, and becomes small when panel is restarted while the replicator is stopped'
    : 'the replicator does not empty it'
  return { state: 'stuck', message: `The write-ahead log of the store takes ${size(bytes)}: ${why}.` }
}

const later = (replica: Replica): Promise<Progress | undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(progressOf(replica)), POLL_INTERVAL_MS))

type CheckResult = Pick<ReplicaState, 'state' | 'message'>

function check({ to, address }: Replica, before?: Progress, after?: Progress, age?: number): CheckResult {
  const stuck = (message: string): CheckResult => ({ state: 'stuck', message })
  if (!before || !after)
    return {
      state: 'stopped',
      message: `The replicator is not running, or hangs: it says nothing of this store on ${address}.`,
    }
  if (after.looks === before.looks) return stuck('The replicator has stopped looking at the store.')
  if (after.copied < after.read && after.copied === before.copied && after.errors > before.errors)
    return stuck('The replicator cannot read the store; its log says why.')
  if (age !== undefined && age > oldest)
    return stuck(`Nothing has been copied to ${to} for ${Math.round(age)} seconds.`)
  if (after.copied < before.read && after.copied === before.copied)
    return stuck(`The replicator makes no progress: ${to} may not be reachable.`)
  return { state: 'running', message: `The store is copied to ${to}.` }
}

/** The age measured by the directory's server, if it runs and is accessible. */
function ageIn(dataDir: string): Promise<number | undefined> {
  const { get } = process.getBuiltinModule('node:http')
  return new Promise((resolve) => {
    const options = { socketPath: socketPath(dataDir), path: '/metrics', timeout: 2_000, agent: false as const }
    const call = get(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve(ageOf(text)))
      answer.on('error', () => resolve(undefined))
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(undefined))
  })
}

function ageOf(text: string): number | undefined {
  const [, value] = /^panel_store_replica_age_seconds (\S+)$/m.exec(text) ?? []
  return value === undefined ? undefined : Math.round(Number(value) * 10) / 10
}
