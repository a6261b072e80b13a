import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type Json, type PanelOptions, type Reply, startPanel, type TestPanel } from '../harness.ts'

/** A program that answers with its version until it is told to exit. */
export const program = (text: string, more = ''): string => `
const server = require('node:http').createServer((request, response) => {
  ${more}
  response.end(${JSON.stringify(text)})
})
server.listen(process.env.PORT)
process.on('SIGTERM', () => server.close(() => process.exit()))
`

/** Files by name, as a tar.gz. */
export function archive(files: Readonly<Record<string, string>>): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'panel-archive-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
    return execFileSync('tar', ['-C', dir, '-czf', '-', '.'])
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** A complete upload. */
export async function uploaded(panel: TestPanel, account: string, bytes: Buffer): Promise<string> {
  const path = `/accounts/${account}/uploads`
  const { id } = (await panel.post(path, { size: bytes.length })).body
  const headers = { 'Content-Type': 'application/octet-stream' }
  const sent = await panel.send('PATCH', `${path}/${id}?offset=0`, { body: new Uint8Array(bytes), headers })
  expect(sent.status, JSON.stringify(sent.body)).toBe(200)
  return id
}

/** The response on a socket: status and text. */
export const ask = (socketPath: string, path = '/'): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const asking = request({ socketPath, path, agent: false }, (answer) => {
      answer
        .setEncoding('utf8')
        .toArray()
        .then((parts) => resolve({ status: answer.statusCode!, text: parts.join('') }), reject)
    })
    asking.on('error', reject).end()
  })

/** Sends requests until stopped; returns the distinct consecutive responses. */
export function asking(socketPath: string): () => Promise<string[]> {
  let over = false
  const loop = async (): Promise<string> => {
    const heard: string[] = []
    while (!over) {
      const { status, text } = await ask(socketPath).catch((error: Error) => ({ status: 0, text: error.message }))
      const line = `${status} ${text}`
      if (heard.at(-1) !== line) heard.push(line)
    }
    return heard.join(', ')
  }
  const loops = [loop(), loop()]
  return () => {
    over = true
    return Promise.all(loops)
  }
}

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)

/** Processes of this machine whose command line contains a text. */
export const processesWith = (text: string): string[] => pids().filter((pid) => read(pid, 'cmdline').includes(text))

/** Running programs of a panel's apps. */
export const programsOf = ({ dir }: TestPanel): string[] =>
  pids().filter((pid) => /^node\0/.test(read(pid, 'cmdline')) && read(pid, 'environ').includes(`PORT=${dir}/`))

/** A panel that runs apps of accounts, with the account alice, and helpers for her apps. */
export async function withAlice(options: PanelOptions = { trustTenants: true }) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice')
  const path = `/accounts/${alice.id}/apps`
  return { panel, alice, path, ...appsIn(panel, alice.id) }
}

export function appsIn(panel: TestPanel, account: string) {
  const path = `/accounts/${account}/apps`
  const show = async (id: string): Promise<Json> => (await panel.get(`${path}/${id}`)).body
  const deploy = async (id: string, files: Readonly<Record<string, string>>): Promise<Reply> =>
    panel.post(`${path}/${id}/deploy`, { upload_id: await uploaded(panel, account, archive(files)) })
  return {
    show,
    deploy,
    create: (name: string, kind = 'static', fields: object = {}) => panel.post(path, { name, kind, ...fields }),
    /** An app whose creation is forgotten. */
    async app(name = 'shop', kind = 'static', fields: object = {}): Promise<Json> {
      const { status, body } = await panel.post(path, { name, kind, ...fields })
      expect(status, JSON.stringify(body)).toBe(202)
      await panel.settle()
      panel.forget()
      return show(body.app.id)
    },
    /** A live release, of a program or of other files; its events and jobs are forgotten. */
    async live(id: string, files: string | Readonly<Record<string, string>>): Promise<Json> {
      const { status, body } = await deploy(id, typeof files === 'string' ? { 'app.js': program(files) } : files)
      expect(status, JSON.stringify(body)).toBe(202)
      await panel.settle()
      panel.forget()
      const { release } = (await panel.get(`${path}/${id}/releases/${body.release.id}`)).body
      expect([release.status, release.error]).toEqual(['live', undefined])
      return release
    },
    releases: async (id: string): Promise<Json[]> => (await panel.get(`${path}/${id}/releases`)).body.items,
    socket: (id: string) => join(panel.dir, 'host/run/panel-apps', id, 'app.sock'),
    directory: (name: string) => join(panel.dir, 'host/home/alice/apps', name),
    log: async (job: string): Promise<string> =>
      (await panel.get(`/jobs/${job}`)).body.log.map((line: { message: string }) => line.message).join('\n'),
  }
}

/** A directory that is deleted after the test. */
export function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-apps-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}
