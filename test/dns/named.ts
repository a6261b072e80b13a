import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A free port of loopback, for UDP and TCP. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4').once('error', reject)
    socket.bind(0, '127.0.0.1', () => {
      const { port } = socket.address()
      socket.close(() => resolve(port))
    })
  })

export const tool = (command: string, ...args: string[]): string =>
  spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 }).stdout.trim()

export async function until<T>(look: () => T | undefined, tries = 400): Promise<T> {
  for (let left = tries; left > 0; left--) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('named did not answer')
}

export interface Named {
  readonly dir: string
  readonly conf: string
  /** Its answers, one per line. */
  dig(...question: string[]): string
  /** Reloads its configuration and its zones. */
  reload(): void
  stop(): Promise<void>
}

interface DesiredZones {
  readonly port: number
  /** Its configuration, generated at each start and reload. */
  readonly conf: (dir: string) => string
}

/** A BIND of its own on a port of loopback. */
export function startNamed({ port, conf }: DesiredZones): Named {
  const dir = mkdtempSync(join(tmpdir(), 'panel-named-'))
  const file = join(dir, 'named.conf')
  const write = () => writeFileSync(file, conf(dir))
  write()
  const child: ChildProcess = spawn('/usr/sbin/named', ['-f', '-c', file], { stdio: 'ignore' })
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(async () => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    dir,
    conf: file,
    dig: (...question) =>
      tool('/usr/bin/dig', '@127.0.0.1', '-p', String(port), '+short', '+tries=1', '+time=1', ...question),
    reload() {
      write()
      child.kill('SIGHUP')
    },
    stop,
  }
}

/** The agent's files for named, with paths below the root of the test. */
export function rendered(root: string): string {
  const moved = (path: string) =>
    readFileSync(join(root, 'etc/bind/panel', path), 'utf8').replace(/"(\/(?:etc|var)\/)/g, `"${root}$1`)
  return ['dnssec-policy.conf', ...readdirSync(join(root, 'etc/bind/panel/zones.d')).map((name) => `zones.d/${name}`)]
    .map(moved)
    .join('')
}
