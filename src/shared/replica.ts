import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** The replicator's configuration; holds the credentials of its destination. */
export const replicaFile = (dataDir: string): string => join(dataDir, 'replica.yml')

/** Identifies a configuration that we wrote. */
export const replicaMark = '# Written by `panel replica init` for '

/** A store's replica, and where its replicator reports progress. */
export interface Replica {
  readonly to: string
  /** `127.0.0.1:7713` */
  readonly address: string
  /** The directory's store, as the replicator names it; undefined if it copies another. */
  readonly store: string | undefined
}

/** The replica of a data directory, if `panel replica init` set one up. */
export function replicaOf(dataDir: string): Replica | undefined {
  try {
    const text = readFileSync(replicaFile(dataDir), 'utf8')
    const [, to] = /^# Written by `panel replica init` for (.+)\.$/m.exec(text) ?? []
    const [, address] = /^addr: (\S+)$/m.exec(text) ?? []
    return to && address ? { to, address, store: storeIn(text, dataDir) } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function storeIn(config: string, dataDir: string): string | undefined {
  const [, path] = /^ {2}- path: (".+")$/m.exec(config) ?? []
  const store: string = path ? JSON.parse(path) : ''
  return realPath(store) === realPath(join(dataDir, 'panel.db')) ? store : undefined
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** A replicator's progress: what it has read of the WAL, and what it has copied. */
export interface Progress {
  /** How often it has polled the store. */
  readonly looks: number
  readonly errors: number
  readonly read: number
  readonly copied: number
}

const REPLY_TIMEOUT_MS = 2_000
/** Combines a WAL's index and an offset in it into one number. */
const bytesOfLog = 2 ** 40

/** Asks Litestream for its metrics; undefined if it does not respond, or only copies other stores. */
export function progressOf({ address, store }: Pick<Replica, 'address' | 'store'>): Promise<Progress | undefined> {
  const { get } = process.getBuiltinModule('node:http')
  return new Promise((resolve) => {
    const call = get(`http://${address}/metrics`, { timeout: REPLY_TIMEOUT_MS, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve(progressIn(linesOf(text, store))))
      answer.on('error', () => resolve(undefined))
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(undefined))
  })
}

/** The port may belong to another panel's replicator. */
const linesOf = (text: string, store: string | undefined): string =>
  text
    .split('\n')
    .filter((line) => store !== undefined && line.includes(`db=${JSON.stringify(store)}`))
    .join('\n')

function progressIn(text: string): Progress | undefined {
  const read = (name: string): number => {
    const [, value] = new RegExp(`^litestream_${name}\\{[^\\n]*\\} (\\S+)$`, 'm').exec(text) ?? []
    return Number(value ?? 0)
  }
  if (!/^litestream_sync_count/m.test(text)) return undefined
  return {
    looks: read('sync_count'),
    errors: read('sync_error_count'),
    read: read('shadow_wal_index') * bytesOfLog + read('shadow_wal_size'),
    copied: read('replica_wal_index') * bytesOfLog + read('replica_wal_offset'),
  }
}
