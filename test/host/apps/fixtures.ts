import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { AppTimes } from '../../../src/host/apps/config.ts'
import type { AppUnit, DeployRequest } from '../../../src/host/contract/driver.ts'
import { createDirectoryDriver, type DirectoryOptions } from '../../../src/host/driver/file-driver.ts'
import { account, idOf, nameOf, server } from '../helpers.ts'

export const quick: AppTimes = { graceMs: 5_000, drainMs: 5_000, retryMs: () => 20 }

/** A directory whose name leaves room for a socket's. */
export function shortDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'pa-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Answers with its version and its process, for any number of requests. */
export const nodeApp = (version: string): string => `
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/exit') process.exit(3)
  setTimeout(() => response.end(JSON.stringify({ version: '${version}', pid: process.pid, word: process.env.WORD })), 5)
})
server.listen(process.env.PORT)
console.log('listening ${version}')
process.on('SIGTERM', () => server.close(() => process.exit(0)))
`

export const appId = idOf(900)

export const unitOf = (over: Partial<AppUnit> = {}): AppUnit => ({
  id: appId,
  name: 'shop',
  kind: 'node',
  listen: 'socket',
  running: true,
  root: '.',
  start: 'node app.js',
  host: 'bob.example',
  healthPath: '/',
  healthTimeoutS: 20,
  env: {},
  ...over,
})

export const orderOf = (
  release: number,
  source: DeployRequest['source'],
  over: Partial<DeployRequest> = {},
): DeployRequest => {
  const { root: _, ...app } = unitOf()
  return {
    account: nameOf(account()),
    app,
    release,
    source,
    buildTimeoutS: 60,
    secrets: [],
    ...over,
  }
}

/** The response of a socket or a port. */
export interface Reply {
  readonly status: number
  readonly body: string
}

export const ask = (where: string, path = '/', host = 'localhost'): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const target = where.startsWith('/') ? { socketPath: where } : { host: '127.0.0.1', port: Number(where) }
    const requests = request({ ...target, path, headers: { host }, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode!, body }))
      response.on('error', reject)
    })
    requests.on('error', reject).end()
  })

/** A host that trusts its tenants, with the account bob, and helpers for his app. */
export async function appHost(options: Partial<DirectoryOptions> = {}) {
  const root = options.root ?? join(shortDir(), 'host')
  const driver = createDirectoryDriver({ root, trustTenants: true, appTimes: quick, ...options })
  onTestFinished(() => driver.close())
  const name = nameOf(account())
  const home = join(root, 'home/bob')
  const folder = join(home, 'apps/shop')
  const lines: string[] = []
  const apply = (apps: readonly AppUnit[], over: object = {}) =>
    driver.apply({ server, accounts: [account({ parts: { apps: { apps, gone: [] } }, ...over })] })
  const settle = (keep?: readonly number[]) =>
    driver.apps.settleApp({ app: { account: name, id: appId, name: 'shop' }, keep })
  let uploads = 0
  return {
    root,
    driver,
    home,
    folder,
    lines,
    apply,
    settle,
    socket: join(root, 'run/panel-apps', appId, 'app.sock'),
    /** Uploads a tar.gz of files. */
    upload(files: Readonly<Record<string, string>>): DeployRequest['source'] {
      const id = idOf(500 + uploads++)
      const from = shortDir()
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(from, path)), { recursive: true })
        writeFileSync(join(from, path), content)
      }
      const bytes = execFileSync('tar', ['-C', from, '-cz', '.'], { maxBuffer: 1e8 })
      return this.uploaded(id, bytes)
    },
    uploaded(id: string, bytes: Buffer): DeployRequest['source'] {
      mkdirSync(join(home, '.panel/uploads'), { recursive: true })
      writeFileSync(join(home, '.panel/uploads', id), bytes)
      return { kind: 'upload', id, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
    /** The first half of a deploy, then the switch to it, like the server does. */
    async deploy(order: DeployRequest, keep?: readonly number[]) {
      const made = await driver.apps.deployApp(order, { progress: (line) => void lines.push(line) })
      const { root, port } = made
      const unit: AppUnit = { ...order.app, root, release: order.release, ...(port !== undefined && { port }) }
      await apply([unit])
      const status = await settle(keep)
      return { made, status, unit }
    },
    current: () => readlinkSync(join(folder, 'current')),
    releases: () => readdirSync(join(folder, 'releases')).sort(),
    log: () => {
      const path = join(root, 'var/log/panel/bob/shop.app.log')
      return existsSync(path) ? readFileSync(path, 'utf8') : ''
    },
    /** Command lines of processes with a mark of this host, without their shells. */
    processes: () => processesOf(root).filter((line) => !line.startsWith('/bin/sh -c')),
  }
}

export type AppBench = Awaited<ReturnType<typeof appHost>>

export function processesOf(root: string): string[] {
  const mark = `PANEL_RUN=${createHash('sha256').update(root).digest('hex').slice(0, 16)}/`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const state = readFileSync(`/proc/${pid}/stat`, 'latin1')
        if (state.slice(state.lastIndexOf(')') + 2).startsWith('Z')) return []
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)) return []
        return [readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()]
      } catch {
        return []
      }
    })
}

/** Sends requests constantly and concurrently until stopped; returns responses and failures. */
export function asking(where: string, host?: string) {
  const [answers, failures]: [Reply[], unknown[]] = [[], []]
  let isOver = false
  const loop = async (): Promise<void> => {
    while (!isOver)
      await ask(where, '/', host).then(
        (reply) => void answers.push(reply),
        (error) => void failures.push(error),
      )
  }
  const loops = [loop(), loop(), loop(), loop()]
  return {
    answers,
    versions: () => [...new Set(answers.map(({ body }) => JSON.parse(body).version as string))],
    async stop() {
      isOver = true
      await Promise.all(loops)
      expect(failures).toEqual([])
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    },
  }
}

/** Waits until something holds, however busy the machine is. */
export const eventually = <T>(look: () => T) => expect.poll(look, { interval: 20 })
