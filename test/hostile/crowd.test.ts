import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newDirectory, type Served, start } from '../faults/process.ts'
import { statusesIn, Target } from './raw.ts'

const target = new Target()
const host = 'Host: localhost\r\n'

test('limits the number of large bodies at a time, but not of small ones', async () => {
  const token = await target.panel.token(['accounts:write'])
  const head = (length: number) =>
    `POST /api/v1/accounts HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const raws = Array.from({ length: 100 }, () => target.open())
  for (const raw of raws) {
    raw.write(head(1_000_000))
    raw.write(' '.repeat(900_000))
    await raw.drained()
  }
  const small = await target.send(`${head(9)}{"odd":1}`)
  expect(small.statuses).toEqual([400])
  const rest = `${' '.repeat(100_000 - 9)}{"odd":1}`
  for (const raw of raws) raw.write(rest)
  for (const raw of raws) await raw.until((text) => statusesIn(text).length > 0)
  const statuses = raws.map(({ text }) => statusesIn(text)[0])
  const count = (status: number) => statuses.filter((one) => one === status).length
  expect([count(400) + count(503), count(503) > 20, count(400) > 50]).toEqual([100, true, true])
  for (const raw of raws) raw.destroy()
  expect((await target.send(`${head(1_000_000)}${' '.repeat(999_991)}{"odd":1}`)).statuses).toEqual([400])
})

const ownLimit = (): number => {
  const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return Number(soft ?? 1024)
}

/** The limit of this machine: each connection uses a file descriptor on both sides. */
const expected = 10_000
const input = process.platform === 'linux' ? Math.min(expected, ownLimit() - 1024) : 500

const memoryOf = (server: Served): number =>
  Number(/^\S+ (\d+)/.exec(readFileSync(`/proc/${server.child.pid}/statm`, 'utf8'))?.[1]) * pageSize
const pageSize = process.platform === 'linux' ? Number(execFileSync('getconf', ['PAGESIZE'])) : 4096

/** Connects, gets one response, and stays connected. */
function keepAlive(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`))
    socket.once('data', () => resolve(socket))
    socket.once('error', reject)
  })
}

test(`${input} of ${expected} idle connections leave room for others`, { timeout: 60_000 }, async () => {
  const server = await start(newDirectory())
  const before = memoryOf(server)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  while (sockets.length < input) {
    const more = Math.min(250, input - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: more }, () => keepAlive(server.port)))))
  }
  const each = (memoryOf(server) - before) / input
  expect(each).toBeLessThan(50_000)
  expect((await server.ask('POST', '/accounts', { username: 'alice', domain: 'alice.example' }))?.status).toBe(202)
  await server.until('/jobs?status=succeeded', ({ body }) => body.total === 1)
  expect((await server.ask('GET', '/metrics'))?.body).toContain(`\npanel_connections{listener="tcp"} ${input}\n`)
  await server.stop()
  expect(server.child.exitCode).toBe(0)
})
