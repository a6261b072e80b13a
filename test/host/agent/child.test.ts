import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agentFolder, childTransport } from '../../../src/host/agent/client/child.ts'
import { AgentClient } from '../../../src/host/agent/client/client.ts'
import type { Channel } from '../../../src/host/agent/client/transport.ts'
import type { AccountState } from '../../../src/host/contract/driver.ts'
import { builtAgent } from '../../built.ts'
import { FakeClock } from '../../clock.ts'
import { account, nameOf, server, snapshot, tempDir } from '../helpers.ts'
import { hello, Peer } from './peer.ts'

const breakable = 'test/faults/agent.ts'

interface Child {
  readonly root: string
  readonly client: AgentClient
  readonly clock: FakeClock
  /** Every agent started so far, in order. */
  readonly channels: Channel[]
  /** The client's messages while a command waits. */
  readonly lines: string[]
  apply(over?: Partial<AccountState>): Promise<unknown>
  remove(): Promise<unknown>
}

/** A client whose agent is a process. */
async function child(root = join(tempDir(), 'host'), entry?: string): Promise<Child> {
  const clock = new FakeClock()
  const channels: Channel[] = []
  const lines: string[] = []
  const open = childTransport([...(await builtAgent(entry)), '--root', root], join(root, agentFolder), () => {})
  const transport = async () => {
    const channel = await open()
    channels.push(channel)
    return channel
  }
  const log = { info: () => {}, warn: () => {} }
  const client = new AgentClient({ transport, build: 'test', after: clock.after.bind(clock), log })
  onTestFinished(() => client.close())
  const options = { waits: (line: string) => void lines.push(line) }
  let generation = 0
  const order = () => ({ epoch: 1, generation: ++generation })
  return {
    root,
    client,
    clock,
    channels,
    lines,
    apply: (over) => client.apply({ order: order(), server, account: account(over) }, options),
    remove: () => client.remove({ account: nameOf(account()), order: order() }, options),
  }
}

/** The host's files, without what identifies agents and without the trash, whose names contain the time. */
function hostOf(root: string): Record<string, string> {
  const own = /^(run|trash|var\/lib\/panel-host\/(generations|applied|trash))/
  const trees = readdirSync(root).filter((name) => !own.test(name))
  const all = trees.map((name) => [name, snapshot(join(root, name))] as const)
  return Object.fromEntries(
    all.flatMap(([name, tree]) =>
      Object.entries(tree)
        .map(([path, what]) => [`${name}/${path}`, what] as const)
        .filter(([path]) => !own.test(path)),
    ),
  )
}

/** Kills the agent at each point of a change in turn, and returns the number of points. */
async function killAtEach(host: Child, change: (turn: number) => Promise<unknown>, check: (turn: number) => void) {
  const order = join(host.root, '../kill.json')
  for (let turn = 0; ; turn++) {
    writeFileSync(order, JSON.stringify({ point: '', after: turn, victim: 'agent' }))
    await change(turn)
    if (existsSync(order)) return turn
    check(turn)
  }
}

describe('kill -9 of the agent', () => {
  test('sends the command again after a kill at every point of an apply, and completes the state', {
    timeout: 60_000,
  }, async () => {
    const host = await child(undefined, breakable)
    await host.apply()
    const active = hostOf(host.root)
    await host.apply({ suspended: true })
    const suspended = hostOf(host.root)
    const points = await killAtEach(
      host,
      (turn) => host.apply({ suspended: turn % 2 === 1 }),
      (turn) => expect(hostOf(host.root), `point ${turn}`).toEqual(turn % 2 === 1 ? suspended : active),
    )
    expect(points).toBeGreaterThan(12)
    expect(host.channels).toHaveLength(points + 1)
    expect(new Set(host.lines)).toEqual(new Set(['The host agent was stopped by SIGKILL. It is started again.']))
    expect(host.lines).toHaveLength(points)
  })

  test('leaves nothing behind after a kill at every point of a creation and a removal', {
    timeout: 60_000,
  }, async () => {
    const host = await child(undefined, breakable)
    await host.apply()
    const there = hostOf(host.root)
    await host.remove()
    // Two removals within a second would get the same name there.
    const emptyTrash = () => {
      for (const place of ['home/.panel-trash', 'var/log/panel/.trash'])
        for (const name of readdirSync(join(host.root, place)))
          rmSync(join(host.root, place, name), { recursive: true })
    }
    emptyTrash()
    const gone = hostOf(host.root)
    const points = await killAtEach(
      host,
      (turn) => (turn % 2 === 0 ? host.apply() : host.remove()),
      (turn) => {
        emptyTrash()
        expect(hostOf(host.root), `point ${turn}`).toEqual(turn % 2 === 0 ? there : gone)
      },
    )
    expect(points).toBeGreaterThan(12)
  })

  test('starts a new agent for the next command after a kill between two', async () => {
    const host = await child()
    await host.apply()
    host.channels[0]!.kill()
    expect(await host.channels[0]!.ended).toBe('The host agent was stopped by SIGKILL.')
    expect(host.client.status).toEqual({ status: 'idle' })
    await host.apply({ suspended: true })
    expect([host.channels.length, host.lines]).toEqual([2, []])
  })
})

describe('agent as a child process', () => {
  test('exits after a minute without work', async () => {
    const host = await child()
    await host.apply()
    await host.clock.advance(60_000)
    expect(await host.channels[0]!.ended).toBe('The host agent exited.')
    expect(host.client.status).toEqual({ status: 'idle' })
  })

  test('refuses to run next to another on the same directory', async () => {
    const one = await child()
    await one.apply()
    const other = await child(one.root)
    let waited = true
    const measuring = other.client.usage({ accounts: [nameOf(account())] }).then(() => {
      waited = false
    })
    for (const suspended of [true, false, true]) await one.apply({ suspended })
    expect(waited).toBe(true)
    one.channels[0]!.kill()
    await measuring
    expect(other.client.status).toEqual({ status: 'running' })
  })

  test('says why an agent cannot work, and works once it can', async () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'host'), '')
    const host = await child(join(dir, 'host'))
    const stop = new AbortController()
    const measuring = host.client.usage({ accounts: [] }, { signal: stop.signal })
    const reason = expect.stringMatching(/not a directory|EEXIST/)
    await expect.poll(() => host.client.status, { timeout: 10_000 }).toEqual({ status: 'unreachable', reason })
    stop.abort(new Error('enough'))
    await expect(measuring).rejects.toThrow('enough')
  })

  test('names a missing agent in the error', async () => {
    const clock = new FakeClock()
    const transport = childTransport([join(tempDir(), 'agent.cjs')], tempDir(), () => {})
    const log = { info: () => {}, warn: () => {} }
    const client = new AgentClient({ transport, build: 'test', after: clock.after.bind(clock), log })
    onTestFinished(() => client.close())
    const measuring = client.usage({ accounts: [] })
    const reason = expect.stringMatching(/^The host agent exited: Error: Cannot find module .*agent\.cjs'\.$/)
    await expect.poll(() => client.status, { timeout: 10_000 }).toEqual({ status: 'unreachable', reason })
    await Promise.all([client.close(), expect(measuring).rejects.toThrow('The server is stopping.')])
  })

  test('stores the trace of messages, as a bundle too', async () => {
    const host = await child()
    mkdirSync(join(host.root, 'var/log/panel'), { recursive: true })
    writeFileSync(join(host.root, 'var/log/panel/mail.log'), '')
    expect(await host.client.mailTrace({ limit: 1, days: 1 })).toEqual({ items: [], more: false })
    expect(existsSync(join(host.root, 'mail-trace.db'))).toBe(true)
  })

  test('bundles only the host in one file', async () => {
    const { metafile } = await build({
      entryPoints: ['src/host/agent/service/main.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      // It finds its compiled part beside itself.
      external: ['better-sqlite3'],
      metafile: true,
      write: false,
    })
    const inputs = Object.keys(metafile.inputs)
    expect(inputs).toContain('src/host/driver/file-driver.ts')
    const beside = inputs.filter((path) => !path.startsWith('src/host/'))
    const own = beside.filter((path) => !path.startsWith('src/shared/'))
    // The reader of zip archives, the ids of what lies in a trash, the versions that a project asks for, and schemas.
    const others = own.filter((path) => !/^node_modules\/(?:yauzl|pend|ulid|semver|valibot)\//.test(path))
    expect(others).toEqual(['src/contract/version.ts'])
  })
})

describe('process of the agent', () => {
  /** An agent without a client, and its connection. */
  async function started(): Promise<{ process: ChildProcess; panel: Peer; root: string }> {
    const root = join(tempDir(), 'host')
    mkdirSync(root)
    const process = spawn(globalThis.process.execPath, [...(await builtAgent()), '--root', root], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    })
    onTestFinished(() => void process.kill('SIGKILL'))
    const panel = new Peer(process.stdio[3] as Duplex)
    panel.say(hello)
    await panel.hear()
    return { process, panel, root }
  }

  test('exits when its connection closes, whatever it is doing', async () => {
    const { process, panel } = await started()
    const input = { order: { epoch: 1, generation: 1 }, server, account: account() }
    panel.say({ type: 'command', id: 1, node: 'local', command: 'apply', input })
    panel.stream.destroy()
    expect(await once(process, 'exit')).toEqual([0, null])
  })

  test('ignores signals that are meant for its panel', async () => {
    const { process, panel } = await started()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(signal)
    panel.say({ type: 'command', id: 1, node: 'local', command: 'usage', input: { accounts: [] } })
    expect(await panel.hear()).toEqual({ type: 'answer', id: 1, status: 'done', result: [] })
    panel.stream.destroy()
    expect(await once(process, 'exit')).toEqual([0, null])
  })

  test.each([
    ['by hand', ['--root', '/nowhere']],
    ['without a directory', []],
    ['to work in homes', ['--home']],
    ['with an option it does not have', ['--root', '/nowhere', '--force']],
  ])('says who starts it when started %s', async (_, words) => {
    const process = spawn(globalThis.process.execPath, [...(await builtAgent()), ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = (await process.stderr!.setEncoding('utf8').toArray()).join('')
    expect(output).toBe('error: the host agent is started by `panel serve`, not by hand\nhint: panel serve\n')
    expect(process.exitCode ?? (await once(process, 'exit'))[0]).toBe(2)
  })
})
