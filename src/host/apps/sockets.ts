import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { HostError } from '../error.ts'
import { highestPort, lowestPort } from '../parts/apps.ts'

export const runFolder = 'run/panel-apps'
/** What the name of a socket has room for; Node cuts a longer one, and two apps would share it. */
const longestSocket = 107
export const appSocket = 'app.sock'

/** The sockets and the notes of the processes of one app. */
export class RunFolder {
  readonly path: string

  constructor(root: string, app: string) {
    this.path = join(root, runFolder, app)
  }

  at(name: string): string {
    return join(this.path, name)
  }

  /** With room for what a release of this label listens on. */
  async make(label?: string, _owner?: number): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
    if (label !== undefined) await this.drop(`${label}.sock`)
  }

  /** Where it is noted what runs of a release. */
  note(label: string): string {
    return this.at(`${label}.process`)
  }

  /** Takes away what a release of this label has had. */
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
      if (Buffer.byteLength(one) > longestSocket)
        throw new HostError(
          'stage',
          `The path of the app's socket is longer than ${longestSocket} bytes: ${one}. Choose a shorter data directory, or let the app listen on a port.`,
        )
    return path
  }

  protected socketName(label: string): string {
    return `${label}.sock`
  }

  /** New connections reach what listens at this path from now on. */
  async showAs(path: string, _owner: number): Promise<void> {
    await rename(path, this.at(appSocket))
  }

  /** There is nothing to connect to. */
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

/** One that was not accepted yet is still connecting. */
const connected = new Set(['02', '03'])
const established = '01'

/** How many connections there are to a socket that was bound at a path, accepted or not. */
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

/** Resolves when what listens there has answered all that it was asked, or when that takes too long. */
export async function drained(where: string, patienceMs: number, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + patienceMs
  for (
    let quiet = 0;
    quiet < looks && !signal?.aborted && performance.now() < until;
    quiet = connectionsTo(where) === 0 ? quiet + 1 : 0
  )
    await pause(betweenLooks, undefined, signal && { signal }).catch(() => {})
}

/** Whether a port of this machine is free on its loopback address. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

const ports = highestPort - lowestPort + 1

/** A free port that no app holds. The search begins anywhere: programs that look at the same time find others. */
export async function freePort(preferred: readonly number[], held: ReadonlySet<number>): Promise<number> {
  for (const port of preferred) if (!held.has(port) && (await isFree(port))) return port
  const first = randomInt(ports)
  for (let n = 0; n < ports; n++) {
    const port = lowestPort + ((first + n) % ports)
    if (!held.has(port) && (await isFree(port))) return port
  }
  throw new HostError('stage', `No port from ${lowestPort} to ${highestPort} is free for the app.`)
}
