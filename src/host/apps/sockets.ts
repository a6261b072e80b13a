import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { HostError } from '../contract/error.ts'
import { highestPort, lowestPort } from '../parts/apps.ts'

export const runFolder = 'run/panel-apps'
/** The limit of a socket path; Node.js truncates longer ones, and two apps would share a socket. */
const MAX_SOCKET_PATH_LENGTH = 107
export const appSocket = 'app.sock'

/** The sockets and notes of one app's processes. */
export class RunFolder {
  readonly path: string

  constructor(root: string, app: string) {
    this.path = join(root, runFolder, app)
  }

  at(name: string): string {
    return join(this.path, name)
  }

  /** With a place for this label's socket. */
  async make(label?: string, _owner?: number): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    if (label !== undefined) await this.drop(`${label}.sock`)
  }

  /** The path of a release's note. */
  note(label: string): string {
    return this.at(`${label}.process`)
  }

  /** Removes the files of this label's release. */
  async clear(label: string): Promise<void> {
    await this.drop(`${label}.process`)
    await this.drop(`${label}.sock`)
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true })
  }

  socket(label: string): string {
    const path = this.at(this.socketName(label))
    for (const one of [path, this.at(appSocket)])
      if (Buffer.byteLength(one) > MAX_SOCKET_PATH_LENGTH)
        throw new HostError(
          'stage',
          `The path of the app's socket is longer than ${MAX_SOCKET_PATH_LENGTH} bytes: ${one}. Choose a shorter data directory, or let the app listen on a port.`,
        )
    return path
  }

  protected socketName(label: string): string {
    return `${label}.sock`
  }

  /** Directs new connections to the listener at this path. */
  async showAs(path: string, _owner: number): Promise<void> {
    await rename(path, this.at(appSocket))
  }

  /** Removes the public socket. */
  hide(): Promise<void> {
    return this.drop(appSocket)
  }

  drop(name: string): Promise<void> {
    return rm(this.at(name), { force: true })
  }

  names(): Promise<string[]> {
    return readdir(this.path).catch(() => [])
  }
}

/** The folders of all apps that have one. */
export const appsRunning = (root: string): Promise<string[]> => readdir(join(root, runFolder)).catch(() => [])

/** An unaccepted connection is in state "connecting". */
const connected = new Set(['02', '03'])
const established = '01'

/** The number of connections to a socket bound at a path, accepted or not. */
function onSocket(path: string): number {
  const ending = ` ${path}`
  return linesOf('/proc/net/unix').filter((line) => line.endsWith(ending) && connected.has(line.split(/\s+/)[5] ?? ''))
    .length
}

function onPort(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(linesOf).filter((line) => {
    const [, address, , state] = line.trim().split(/\s+/)
    return address?.endsWith(local) && state === established
  }).length
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}

const connectionsTo = (where: string): number => (where.startsWith('/') ? onSocket(where) : onPort(Number(where)))

const betweenLooks = 50
const looks = 3

/** Resolves when the listener has answered all requests, or at the time limit. */
export async function drained(where: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + timeoutMs
  for (
    let quiet = 0;
    quiet < looks && !signal?.aborted && performance.now() < until;
    quiet = connectionsTo(where) === 0 ? quiet + 1 : 0
  )
    await pause(betweenLooks, undefined, signal && { signal }).catch(() => {})
}

/** Whether a port is free on an address: by default on loopback. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

const ports = highestPort - lowestPort + 1

/**
 * A port that no app holds, and that is free unless other programs have them all. The search starts at random, so that
 * concurrent ones find different ports.
 */
export async function freePort(preferred: readonly number[], taken: ReadonlySet<number>): Promise<number> {
  for (const port of preferred) if (!taken.has(port) && (await isFree(port))) return port
  const first = randomInt(ports)
  let busy: number | undefined
  for (let n = 0; n < ports; n++) {
    const port = lowestPort + ((first + n) % ports)
    if (taken.has(port)) continue
    if (await isFree(port)) return port
    busy ??= port
  }
  if (busy !== undefined) return busy
  throw new HostError('stage', `Apps have all ports from ${lowestPort} to ${highestPort}.`)
}
