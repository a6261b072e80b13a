import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, readFileSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { percentile } from '../../figures.ts'
import { memoryOf } from '../../server.ts'
import { account, makeAccounts } from '../accounts.ts'
import { say } from '../figures.ts'
import type { Sizes } from '../sizes.ts'
import { until, World } from '../world.ts'

const gigabyte = 2 ** 30
const megabyte = 2 ** 20
/** The panel's memory grows with commands alone, until it is full of what it collects now and then. */
const idle = 3000

/** A command to a node while a large file comes from it, and what the panel holds of that file. */
export async function measure({ gigabytes }: Sizes): Promise<void> {
  const world = new World()
  try {
    await world.open(1)
    await makeAccounts(world, [account('big', 'n1')], 1)
    const file = join(world.roots.get('n1')!, 'home/big/file.bin')
    const at = await streamed(world)
    await write(file, 1)
    await stalled(world, at)
    rmSync(file)
    await write(file, gigabytes)
    await connectDirectly(world)
    await compare(world, at, gigabytes)
  } finally {
    await world.close()
  }
}

/** Bytes that no disk leaves out. */
async function write(file: string, gigabytes: number): Promise<void> {
  const block = randomBytes(megabyte)
  const blocks = function* (): Generator<Buffer> {
    for (let n = 0; n < gigabytes * 1024; n++) yield block
  }
  await pipeline(blocks, createWriteStream(file))
}

/** Past the network of this process: what it does at the same time is measured. */
async function connectDirectly(world: World): Promise<void> {
  const [agent] = world.agents
  const address = `127.0.0.1:${world.nodePort}`
  await world.sure('PATCH', '/settings', { control_addresses: [address] })
  const known = join(world.roots.get('n1')!, 'var/lib/panel-host/node/node.json')
  await until(async () => readFileSync(known, 'utf8').includes(address))
  await agent!.end()
  agent!.start()
  await until(async () => world.network.count === 0 && (await world.active()) === 2)
}

async function streamed(world: World): Promise<string> {
  const [big] = await world.all('/accounts?q=big')
  return `/accounts/${big.id}/files/content?path=file.bin`
}

function open(world: World, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { socketPath: join(world.data, 'panel.sock'), path: `/api/v1${path}` }
    request(options, (answer) => {
      if (answer.statusCode === 200) resolve(answer)
      else reject(new Error(`${path}: ${answer.statusCode}`))
    })
      .on('error', reject)
      .end()
  })
}

async function compare(world: World, at: string, gigabytes: number): Promise<void> {
  const command = await commandTo(world)
  const before: number[] = []
  let inUse = 0
  for (let n = 0; n < idle; n++) {
    before.push(await command())
    inUse = Math.max(inUse, memoryOf(world.panel.pid!).now)
  }
  const { beside, max, bytes, seconds } = await read(world, at, command)
  say(`${gigabytes} GB from a node`, bytes / megabyte / seconds, 'MB/s')
  say('bytes that did not come', gigabytes * gigabyte - bytes, 'bytes', { max: 0 })
  say(
    'a command to that node, p50 beside the stream / idle',
    percentile(beside, 0.5) / percentile(before, 0.5),
    'times',
  )
  const p99 = { idle: percentile(before, 0.99), beside: percentile(beside, 0.99) }
  say('a command to that node, p99 idle', p99.idle, 'ms')
  say(`the same, ${beside.length} beside the stream`, p99.beside, 'ms')
  say('p99 beside the stream / p99 idle', p99.beside / p99.idle, 'times', { max: 2 })
  say("control plane's memory more than before", max - inUse, 'MB', { max: 20 })
}

type Command = () => Promise<number>

/** Milliseconds of a command that goes to the node and back. */
async function commandTo(world: World): Promise<Command> {
  const node = (await world.all('/nodes')).find(({ name }) => name === 'n1')!
  return async () => {
    const began = performance.now()
    await world.sure('GET', `/nodes/${node.id}/orphans`)
    return performance.now() - began
  }
}

/** Of a process of its own: what this one does at the same time is measured. */
const reader = `const [socketPath, path] = process.argv.slice(1)
let bytes = 0
require('node:http').get({ socketPath, path }, (answer) => {
  answer.on('data', (part) => { bytes += part.length })
  answer.on('close', () => console.log(bytes))
})`

/** Reads the whole file, with commands beside it. */
async function read(world: World, at: string, command: Command) {
  const words = ['-e', reader, join(world.data, 'panel.sock'), `/api/v1${at}`]
  const began = performance.now()
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = child.stdout.setEncoding('utf8').toArray()
  const beside: number[] = []
  let max = 0
  while (child.exitCode === null) {
    beside.push(await command())
    max = Math.max(max, memoryOf(world.panel.pid!).now)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const seconds = (performance.now() - began) / 1000
  return { beside, max, bytes: Number((await output).join('')), seconds }
}

/** Who stops reading is not waited for: the connection that the node opened for the bytes ends. */
async function stalled(world: World, at: string): Promise<void> {
  const links = world.agents.length
  // The one that the node joined by is left to itself for a while.
  await until(async () => world.network.count === links)
  const answer = await open(world, at)
  answer.on('error', () => {})
  answer.pause()
  const began = performance.now()
  await until(async () => world.network.count > links)
  await until(async () => world.network.count === links, 180_000)
  say('a reader that stops is ended after', (performance.now() - began) / 1000, 's', { max: 75 })
  answer.destroy()
}
