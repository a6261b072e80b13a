import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { promisify } from 'node:util'
import { join } from '../../src/host/nodes/node/join.ts'
import { childrenOf } from '../server.ts'
import { Cables } from './cables.ts'
import { Disk } from './disk.ts'
import { bin, Member } from './member.ts'
import type { Network } from './network.ts'
import { newSeat, type Seat } from './seat.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
export type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
}

interface Former {
  readonly member: Member
  readonly data: string
  readonly network: Network
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const run = promisify(execFile)

export interface WorldOptions {
  /** Each node has a disk of its own of that size, in memory. */
  readonly diskSize?: string
  /** Each node has a network namespace of its own. */
  readonly hasCables?: boolean
  /** There is a second place for a server, which nodes know of. */
  readonly hasStandby?: boolean
}

/** A panel with nodes, each a process below a directory, on loopback. */
export class World {
  readonly dir = mkdtempSync(path(tmpdir(), 'panel-nodes-'))
  readonly agents: Member[] = []
  readonly disks = new Map<string, Disk>()
  readonly cables: Cables | undefined
  readonly #options: WorldOptions
  data = path(this.dir, 'panel')
  /** Where each node has its files, the panel's own machine too. */
  readonly roots = new Map([['local', path(this.data, 'host')]])
  panel!: Member
  /** The server that another took over from. */
  former: Former | undefined
  #seat!: Seat
  #standby: Seat | undefined

  constructor(options: WorldOptions = {}) {
    this.#options = options
    this.cables = options.hasCables ? new Cables() : undefined
  }

  get network(): Network {
    return this.#seat.network
  }

  /** Where nodes reach the panel past the network that can be broken. */
  get nodePort(): number {
    return this.#seat.nodePort
  }

  async open(count: number): Promise<void> {
    const host = this.cables?.address ?? '127.0.0.1'
    this.#seat = await newSeat(host)
    if (this.#options.hasStandby) this.#standby = await newSeat(host)
    this.panel = this.#server(this.#seat)
    this.panel.start()
    const addresses = [this.#seat, this.#standby].flatMap((seat) => seat?.address ?? [])
    await until(async () => (await this.ask('GET', '/nodes')).status === 200)
    await this.sure('PATCH', '/settings', { control_addresses: addresses })
    for (let n = 1; n <= count; n++) await this.#enrol(`n${n}`, addresses[0]!)
    await until(async () => (await this.active()) === count + 1, 300_000)
  }

  /** The machine of the server is lost: the other place takes over by a copy of the store, with an empty host of its own. */
  async takeOver(): Promise<void> {
    const [member, former] = [this.panel, this.data]
    await member.lose()
    const copy = path(this.dir, 'copy')
    mkdirSync(copy, { mode: 0o700 })
    for (const name of readdirSync(former).filter((name) => /^(panel\.db(-wal)?|secret\.key.*)$/.test(name)))
      copyFileSync(path(former, name), path(copy, name))
    const data = path(this.dir, 'standby')
    await run(process.execPath, [bin, 'takeover', path(copy, 'panel.db'), '--data-dir', data, '--no-start'])
    this.former = { member, data: former, network: this.network }
    this.data = data
    this.roots.set('local', path(data, 'host'))
    this.#seat = this.#standby!
    this.#standby = undefined
    this.panel = this.#server(this.#seat)
    this.panel.start()
  }

  async active(): Promise<number> {
    const nodes = (await this.ask('GET', '/nodes?per_page=500')).body.items as Json[]
    return nodes.filter(({ state }) => state === 'active').length
  }

  /** The process that does the panel's work on its own machine. */
  get localAgent(): number | undefined {
    return this.panel.pid === undefined ? undefined : childrenOf(this.panel.pid)[0]
  }

  /** What its processes said. */
  logOf(name: string): string {
    const file = this.#log(name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  async close(): Promise<void> {
    await Promise.all([this.panel, this.former?.member, ...this.agents].map((member) => member?.end()))
    for (const network of [this.#seat?.network, this.#standby?.network, this.former?.network]) network?.close()
    this.cables?.end()
    for (const disk of this.disks.values()) disk.end()
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 10 })
  }

  /** One request over the local socket; throws where no answer comes. */
  ask(method: string, to: string, body?: object, data = this.data): Promise<Answer> {
    const text = body && JSON.stringify(body)
    const headers = text ? { 'content-type': 'application/json' } : {}
    const socketPath = path(data, 'panel.sock')
    return new Promise((resolve, reject) => {
      const call = request({ socketPath, method, path: `/api/v1${to}`, headers, timeout: 20_000 }, (answer) => {
        let output = ''
        answer.setEncoding('utf8').on('data', (part) => {
          output += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, body: output && JSON.parse(output) }))
        answer.on('error', reject)
      })
      call.on('timeout', () => call.destroy(new Error('timeout')))
      call.on('error', reject)
      call.end(text)
    })
  }

  /** The body of a successful response. */
  async sure(method: string, to: string, body?: object): Promise<Json> {
    const answer = await this.ask(method, to, body)
    if (answer.status >= 300) throw new Error(`${method} ${to}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** All pages of a list. */
  async all(to: string): Promise<Json[]> {
    const found: Json[] = []
    for (let page = 1; ; page++) {
      const { items } = await this.sure('GET', `${to}${to.includes('?') ? '&' : '?'}per_page=500&page=${page}`)
      found.push(...items)
      if (items.length < 500) return found
    }
  }

  async #enrol(name: string, address: string): Promise<void> {
    const { join_line } = await this.sure('POST', '/nodes', { name, roles: ['web', 'db', 'mail'] })
    const [, secret, node, pin] = /^echo (\w+) \|.* --node (\w+) --pin (\w+)$/.exec(join_line)!
    const root = path(this.dir, name)
    const { diskSize } = this.#options
    if (diskSize !== undefined) this.disks.set(name, new Disk(root, diskSize))
    await join({ address, node: node!, pin: pin!, secret: secret!, root })
    const agent = this.#member(name, ['host', 'agent', '--node', '--root', root], this.cables?.plug(name))
    agent.start()
    this.agents.push(agent)
    this.roots.set(name, root)
  }

  #server({ ports }: Seat): Member {
    const where = ['--host', '127.0.0.1', '--hostname', 'localhost', '--log-level', 'error']
    return this.#member('panel', ['serve', '--data-dir', this.data, ...ports, ...where])
  }

  #member = (name: string, words: readonly string[], within?: readonly string[]): Member =>
    new Member(name, words, this.#log(name), within)

  #log = (name: string): string => path(this.dir, `${name}.log`)
}

/** Asks until something is so. */
export async function until(is: () => Promise<boolean>, ms = 60_000): Promise<number> {
  const began = Date.now()
  while (!(await is().catch(() => false))) {
    if (Date.now() - began > ms) throw new Error('It never came.')
    await pause(100)
  }
  return Date.now() - began
}
