import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { place, type ServerProcess, startServer } from '../serve/server.ts'
import { archive, ask, program } from './fixtures.ts'

const options = { trustTenants: true, logLevel: 'silent' } as const

/** Hangs the first time, and passes from then on. */
const once = (name: string) => `[ -e "$HOME/${name}" ] || { touch "$HOME/${name}"; sleep 3000; }`
const slowToAnswer = `
  const mark = process.env.HOME + '/checked'
  if (!require('node:fs').existsSync(mark)) return require('node:fs').writeFileSync(mark, '')`

interface Case {
  readonly build?: string
  readonly more?: string
  /** Whether it has reached the point where it is to be killed. */
  readonly reached: (of: { home: string; release: Json }) => boolean
}

const there = (path: string): boolean => {
  try {
    return readFileSync(path) !== undefined
  } catch {
    return false
  }
}

const cases: Record<string, Case> = {
  'while it is built': { build: once('built'), reached: ({ home }) => there(join(home, 'built')) },
  'while it is checked': { more: slowToAnswer, reached: ({ home }) => there(join(home, 'checked')) },
  'when it has gone live': { reached: ({ release }) => release.status === 'live' },
}

const kills = Object.keys(cases).flatMap((when) => (['server', 'agent'] as const).map((who) => [who, when] as const))

test.each(kills)('a deploy with its %s killed %s leaves one live release', { timeout: 60_000 }, async (who, when) => {
  const dir = place()
  let server = await startServer(dir, options)
  const send = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const reply = await server.send(method, path, body)
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(400)
    return reply.body
  }
  const ended = async (job: string): Promise<void> => {
    const status = async () => (await send('GET', `/jobs/${job}`)).job.status
    await expect.poll(status, { interval: 100 }).toMatch(/succeeded|failed|cancelled/)
  }
  const made = await send('POST', '/accounts', { username: 'alice', domain: 'alice.example' })
  await ended(made.job_id)
  const path = `/accounts/${made.account.id}`
  const { build, more, reached } = cases[when]!
  const { app, job_id } = await send('POST', `${path}/apps`, {
    name: 'shop',
    kind: 'node',
    start: 'exec node app.js',
    health_timeout_s: 60,
  })
  await ended(job_id)
  const of = `${path}/apps/${app.id}`
  const deploy = async (source: string): Promise<Json> => {
    const bytes = archive({ 'app.js': source })
    const { id: upload_id } = await send('POST', `${path}/uploads`, { size: bytes.length })
    const headers = { 'Content-Type': 'application/octet-stream' }
    await put(server, `${path}/uploads/${upload_id}?offset=0`, bytes, headers)
    return send('POST', `${of}/deploy`, { upload_id })
  }
  await ended((await deploy(program('v1'))).job_id)
  if (build) await ended((await send('PATCH', of, { build })).job_id)
  const second = await deploy(program('v2', more))
  const home = join(dir, 'host/home/alice')
  const release = async (): Promise<Json> => (await send('GET', `${of}/releases/${second.release.id}`)).release
  while (!reached({ home, release: await release() })) await pause(10)
  if (who === 'server') {
    await server.kill('SIGKILL')
    server = await startServer(dir, options)
  } else {
    process.kill(agentOf(server), 'SIGKILL')
  }
  await ended(second.job_id)
  expect(await release()).toMatchObject({ number: 2, status: 'live' })
  expect(await send('GET', of)).toMatchObject({ current_release_id: second.release.id })
  const releases = (await send('GET', `${of}/releases`)).items
  expect(releases.map(({ status }: Json) => status)).toEqual(['superseded', 'live'])
  expect(readlinkSync(join(home, 'apps/shop/current'))).toMatch(/(^|\/)2$/)
  expect(readdirSync(join(home, 'apps/shop/releases')).sort()).toEqual(['1', '2'])
  const socket = join(dir, 'host/run/panel-apps', app.id, 'app.sock')
  await expect.poll(() => ask(socket).catch(() => undefined)).toEqual({ status: 200, text: 'v2' })
  await expect.poll(() => programsBelow(dir)).toHaveLength(1)
})

function put(server: ServerProcess, path: string, bytes: Buffer, headers: Record<string, string>): Promise<void> {
  const { request } = process.getBuiltinModule('node:http')
  return new Promise((resolve, reject) => {
    const sending = request(
      { socketPath: server.socketPath, method: 'PATCH', path: `/api/v1${path}`, headers },
      (answer) => answer.resume().on('end', () => (answer.statusCode === 200 ? resolve() : reject(answer.statusCode))),
    )
    sending.on('error', reject).end(bytes)
  })
}

const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

const programsBelow = (dir: string): string[] =>
  pids().filter((pid) => /^node\0/.test(read(pid, 'cmdline')) && read(pid, 'environ').includes(`PORT=${dir}/`))

/** The process that the server started as its agent; its other children generate keys. */
function agentOf({ child }: ServerProcess): number {
  const own = pids().find((pid) => {
    const stat = read(pid, 'stat')
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
    return parent === String(child.pid) && read(pid, 'cmdline').startsWith('panel host agent')
  })
  return Number(own)
}
