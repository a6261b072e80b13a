import { statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgentClient } from '../../../src/host/agent/client/client.ts'
import { socketTransport } from '../../../src/host/agent/client/socket.ts'
import { FakeClock } from '../../clock.ts'
import { account, server, tempDir } from '../helpers.ts'
import { hello, Peer } from './peer.ts'
import { startAgent } from './service-process.ts'

const breakable = 'test/faults/agent.ts'

function placed() {
  const dir = tempDir()
  return { dir, root: join(dir, 'host'), socket: join(dir, 'host.sock') }
}

const apply = (id: number, suspended = false) => ({
  type: 'command',
  id,
  node: 'local',
  command: 'apply',
  input: { order: { epoch: 1, generation: id }, server, account: account({ suspended }) },
})

async function greeted(socket: string): Promise<Peer> {
  const peer = new Peer(connect(socket))
  onTestFinished(() => void peer.stream.destroy())
  peer.say(hello)
  expect((await peer.hear())?.['type']).toBe('hello')
  return peer
}

async function answer(peer: Peer): Promise<unknown> {
  for (let frame = await peer.hear(); frame; frame = await peer.hear())
    if (frame['type'] === 'answer') return frame['status']
  return undefined
}

test('only its owner and its group may use its socket', async () => {
  const { root, socket } = placed()
  await startAgent(root, socket)
  expect((statSync(socket).mode & 0o777).toString(8)).toBe('660')
})

test('serves one panel after another, and remembers the newest generation of each account', async () => {
  const { root, socket } = placed()
  await startAgent(root, socket)
  const first = await greeted(socket)
  first.say(apply(7))
  expect(await answer(first)).toBe('done')
  first.stream.destroy()
  const second = await greeted(socket)
  second.say(apply(3), { ...apply(8, true), id: 9 })
  expect([await answer(second), await answer(second)].sort()).toEqual(['done', 'superseded'])
})

test('a second one is refused with one sentence, even on another socket, and the first keeps serving', async () => {
  const { dir, root, socket } = placed()
  const first = await startAgent(root, socket)
  for (const path of [socket, join(dir, 'other.sock')]) {
    const second = await startAgent(root, path)
    expect([await second.ended, second.output()]).toEqual([1, `error: Another host agent already serves ${root}.\n`])
  }
  await greeted(socket)
  await first.kill()
  await startAgent(root, socket)
  await greeted(socket)
})

test('a missing directory is reported with one sentence', async () => {
  const { dir, root } = placed()
  const agent = await startAgent(root, join(dir, 'nowhere/host.sock'))
  expect([await agent.ended, agent.output()]).toEqual([1, `error: The folder ${dir}/nowhere does not exist.\n`])
})

/** Moves time on for a client that waits to retry. */
async function whileTrying<T>(client: AgentClient, clock: FakeClock, awaited: Promise<T>): Promise<T> {
  let over = false
  const end = () => {
    over = true
  }
  awaited.then(end, end)
  for (; !over; await new Promise((resolve) => setTimeout(resolve, 20)))
    if (client.status.status !== 'running') await clock.advance(1000)
  return awaited
}

test('kill -9 at points of an apply: the service restarts, and the command is sent again', {
  timeout: 60_000,
}, async () => {
  const { dir, root, socket } = placed()
  const clock = new FakeClock()
  const lines: string[] = []
  const client = new AgentClient({
    transport: socketTransport(socket),
    build: 'test',
    after: clock.after.bind(clock),
    log: { info: () => {}, warn: () => {} },
    service: true,
  })
  onTestFinished(() => client.close())
  for (const turn of [0, 3, 8]) {
    writeFileSync(join(dir, 'kill.json'), JSON.stringify({ point: '', after: turn, victim: 'agent' }))
    const agent = await startAgent(root, socket, breakable)
    const order = { epoch: 1, generation: turn + 1 }
    const state = account({ suspended: turn % 2 === 1 })
    const done = client.apply({ order, server, account: state }, { waits: (line) => void lines.push(line) })
    expect(await whileTrying(client, clock, agent.ended)).toBe('SIGKILL')
    const next = await startAgent(root, socket)
    expect(await whileTrying(client, clock, done)).toMatchObject({ warnings: [] })
    await next.kill()
  }
  expect(lines).toContain('The host agent closed the connection. Connecting to it again.')
})
