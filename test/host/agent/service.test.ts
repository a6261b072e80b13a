import { readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HostAgent } from '../../../src/host/agent/service/agent.ts'
import { serveConnection } from '../../../src/host/agent/service/session.ts'
import { commandNames } from '../../../src/host/contract/commands/index.ts'
import type { HostDriver } from '../../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../../src/host/driver/file-driver.ts'
import { PausedDriver } from '../../drivers.ts'
import { connected } from '../../socket-pair.ts'
import { account, idOf, nameOf, server, snapshot, tempDir } from '../helpers.ts'
import { hello, Peer } from './peer.ts'

const order = (generation: number, epoch = 1) => ({ epoch, generation })
const apply = (id: number, input: object = {}, more: object = {}) => ({
  type: 'command',
  id,
  node: 'local',
  command: 'apply',
  input: { order: order(id), server, account: account(), ...input },
  ...more,
})

interface Bench {
  readonly root: string
  readonly panel: Peer
  readonly left: Promise<void>
  /** The answer to the next command, and the messages before it. */
  answer(): Promise<Record<string, unknown>>
}

/** An agent on a directory, and a panel played by a test. */
async function bench(root = join(tempDir(), 'host'), driver: HostDriver = createDirectoryDriver({ root })) {
  const [own, theirs] = connected()
  const left = serveConnection(theirs, HostAgent.start({ driver, root, build: 'test' }))
  const panel = new Peer(own)
  onTestFinished(() => void own.destroy())
  const answer = async () => {
    for (;;) {
      const frame = await panel.hear()
      if (frame?.['type'] !== 'progress') return frame ?? {}
    }
  }
  return { root, panel, left, answer } satisfies Bench
}

async function greeted(root?: string, driver?: HostDriver): Promise<Bench> {
  const all = await bench(root, driver)
  all.panel.say(hello)
  await all.panel.hear()
  return all
}

describe('hello', () => {
  test('states what the agent can do, and ignores fields of a newer panel', async () => {
    const { panel } = await bench()
    panel.say({ ...hello, protocol: { min: 1, max: 7, draft: 8 }, weather: 'fine' })
    expect(await panel.hear()).toEqual({
      ...hello,
      boot: expect.stringMatching(/^[0-9a-f-]{36}$/),
      capabilities: [
        ...['directory', 'apache', 'http3', 'waf', 'ping', ...commandNames],
        ...['users', 'limits', 'php', 'tls', 'web', 'dns', 'mail', 'db', 'ftp', 'ssh', 'cron', 'apps'],
      ],
    })
  })

  test('enables answers to pings, whatever else it is doing', async () => {
    const root = join(tempDir(), 'host')
    const driver = new PausedDriver(root)
    const { panel } = await greeted(root, driver)
    panel.say(apply(1))
    await expect.poll(() => driver.calls).toEqual(['apply bob'])
    panel.say({ type: 'ping' })
    expect(await panel.hear()).toEqual({ type: 'pong' })
  })

  test('names the accounts whose unfinished change was undone', async () => {
    const root = join(tempDir(), 'host')
    const driver = createDirectoryDriver({ root })
    driver.recover = async () => ({ undone: [idOf(1)] })
    const { panel } = await bench(root, driver)
    panel.say(hello)
    expect(await panel.hear()).toMatchObject({ undone: [idOf(1)] })
  })

  test.each([
    [
      { min: 2, max: 3 },
      'speaks versions 2 to 3 of the host protocol and the host agent test version 1: update the host agent.',
    ],
    [{ min: 0, max: 0 }, 'speaks version 0 of the host protocol and the host agent test version 1: update the panel.'],
  ])('refuses a panel too many versions apart, %j, with one sentence', async (protocol, reason) => {
    const { panel, left } = await bench()
    panel.say({ ...hello, protocol })
    expect(await panel.hear()).toEqual({ type: 'refused', reason: `The panel test ${reason}` })
    expect(await panel.hear()).toBeUndefined()
    await left
  })

  test('says why an agent cannot start', async () => {
    const root = join(tempDir(), 'host')
    const driver = createDirectoryDriver({ root })
    driver.recover = () => Promise.reject(new Error('The journal cannot be read.'))
    const { panel } = await bench(root, driver)
    panel.say(hello)
    expect(await panel.hear()).toEqual({ type: 'refused', reason: 'The journal cannot be read.' })
  })

  test('closes the connection if hello does not come first', async () => {
    const { panel, left, root } = await bench()
    panel.say(apply(1))
    expect(await panel.hear()).toBeUndefined()
    await left
    expect(Object.keys(snapshot(root))).not.toContain('home/bob')
  })
})

describe('command of the agent', () => {
  test('reports progress, then what it changed', async () => {
    const { panel, root } = await greeted()
    panel.say(apply(1))
    expect(await panel.hear()).toEqual({ type: 'progress', id: 1, line: 'bob: files are in place', done: 1 })
    const answer = await panel.hear()
    expect(answer).toMatchObject({ type: 'answer', id: 1, status: 'done', result: { warnings: [] } })
    expect(readFileSync(join(root, 'etc/panel/nginx/sites/bob.example.conf'), 'utf8')).toContain('bob.example')
  })

  const unsupported = [
    ['another command', apply(1, {}, { command: 'explode' }), 'command'],
    ['a command named like what all objects have', apply(1, {}, { command: 'constructor' }), 'command'],
    ['another field of the command', apply(1, {}, { deadline: 5 }), 'field of a command'],
    ['another field of its input', apply(1, { force: true }), 'field of apply'],
    ['another part of an account', apply(1, { areas: ['web', 'games'] }), 'part of an account'],
    [
      'another part of the state',
      apply(1, { account: { ...account(), parts: { ...account().parts, games: {} } } }),
      'part of an account',
    ],
    ['another field of the core', apply(1, { account: { ...account(), shoe: 43 } }), 'field of an account'],
    ['another field of the order', apply(1, { order: { ...order(1), third: 1 } }), 'field of an order'],
    ['another field of the server', apply(1, { server: { ...server, colour: 'red' } }), 'field of a server'],
  ] as const
  test.each(unsupported)('does not support a command with %s, and applies nothing', async (_, command, what) => {
    const { panel, answer, root } = await greeted()
    const before = snapshot(root)
    panel.say(command)
    expect(await answer()).toEqual({
      type: 'answer',
      id: 1,
      status: 'unsupported',
      message: `The host agent does not know every ${what}; update it to the version of the panel.`,
    })
    expect(snapshot(root)).toEqual(before)
  })

  const faulty: readonly (readonly [string, object])[] = [
    ['a uid of the system', { account: account({ uid: 0 }) }],
    ['a name that is a path', { account: account({ username: '../root' }) }],
    ['no account', { account: null }],
    ['no order', { order: undefined }],
    ['an order of text', { order: { epoch: '1', generation: '1' } }],
    ['no parts', { account: { ...account(), parts: null } }],
    ['an area that is an object', { areas: [{}] }],
  ]
  test.each(faulty)('validates a command with %s again and refuses it with a sentence', async (_, input) => {
    const { panel, answer, root } = await greeted()
    const before = snapshot(root)
    panel.say(apply(1, input))
    expect(await answer()).toMatchObject({
      id: 1,
      status: expect.stringMatching(/failed|unsupported/),
      message: expect.stringMatching(/^The .*\.$/),
    })
    expect(snapshot(root)).toEqual(before)
  })

  test('refuses a command for another node', async () => {
    const { panel, answer } = await greeted()
    panel.say(apply(1, {}, { node: 'east' }))
    expect(await answer()).toMatchObject({
      status: 'failed',
      message: 'This is the host local, but the command is for another.',
    })
  })

  test('answers a command that hits a bug in the agent for the log, and runs the next one', async () => {
    const root = join(tempDir(), 'host')
    const driver = createDirectoryDriver({ root })
    const { usage } = driver
    driver.usage = () => Promise.reject(new TypeError('undefined is not a function'))
    const { panel, answer } = await greeted(root, driver)
    const measure = (id: number) => ({
      type: 'command',
      id,
      node: 'local',
      command: 'usage',
      input: { accounts: [nameOf(account())] },
    })
    panel.say(measure(1))
    const failed = await answer()
    expect(failed).toMatchObject({ id: 1, status: 'failed', message: expect.stringContaining('TypeError') })
    expect(failed).not.toHaveProperty('stage')
    driver.usage = usage
    panel.say(measure(2))
    expect(await answer()).toMatchObject({ id: 2, status: 'done' })
  })

  test('does not block another, and unknown kinds of frames are ignored', async () => {
    const root = join(tempDir(), 'host')
    const driver = new PausedDriver(root)
    const { panel, answer } = await greeted(root, driver)
    panel.say(apply(1), { type: 'gossip' }, { ...apply(2), command: 'usage', input: { accounts: [] } })
    expect(await answer()).toEqual({ type: 'answer', id: 2, status: 'done', result: [] })
    driver.release()
    expect(await answer()).toMatchObject({ id: 1, status: 'done' })
  })

  test('cancels a command, whether or not it waits for another of its account', async () => {
    const root = join(tempDir(), 'host')
    const driver = new PausedDriver(root)
    const { panel, answer } = await greeted(root, driver)
    panel.say(apply(1), apply(2), { type: 'cancel', id: 2 }, { type: 'cancel', id: 1 }, { type: 'cancel', id: 99 })
    expect([await answer(), await answer()]).toEqual([
      { type: 'answer', id: 1, status: 'cancelled' },
      { type: 'answer', id: 2, status: 'cancelled' },
    ])
    expect(driver.calls).toEqual(['apply bob'])
  })

  test('stops when its connection closes', async () => {
    const root = join(tempDir(), 'host')
    const driver = new PausedDriver(root)
    const { panel, left } = await greeted(root, driver)
    const before = snapshot(root)
    panel.say(apply(1))
    await expect.poll(() => driver.calls).toEqual(['apply bob'])
    panel.stream.destroy()
    await left
    driver.release()
    const fresh = Object.keys(snapshot(root)).filter((path) => !(path in before) && !path.includes('generations'))
    expect(fresh).toEqual([])
  })
})

describe('desired state', () => {
  test.each([
    ['of an earlier generation', order(4), order(5)],
    ['of an earlier epoch, whatever its generation', order(900, 1), order(1, 2)],
  ])('supersedes a state %s, even by another agent of the same directory', async (_, older, newer) => {
    const root = join(tempDir(), 'host')
    const first = await greeted(root)
    first.panel.say(apply(1, { order: newer, account: account({ suspended: true }) }))
    expect(await first.answer()).toMatchObject({ status: 'done' })
    const before = snapshot(root)
    for (const { panel, answer } of [first, await greeted(root)]) {
      panel.say(apply(2, { order: older }))
      expect(await answer()).toEqual({ type: 'answer', id: 2, status: 'superseded' })
      expect(snapshot(root)).toEqual(before)
    }
  })

  test('applies a state of the same generation, or a later epoch, again', async () => {
    const { panel, answer } = await greeted()
    for (const [id, each] of [order(5), order(5), order(1, 2)].entries()) {
      panel.say(apply(id, { order: each }))
      expect(await answer()).toMatchObject({ id, status: 'done' })
    }
  })

  test('loses to the higher of two lives that began in the same millisecond', async () => {
    const root = join(tempDir(), 'host')
    const leadership = (life: string) => ({ server: 'S', epoch: 5, life, proof: `proof of ${life}` })
    const greet = async (life: string) => {
      const all = await bench(root)
      all.panel.say({ ...hello, leadership: leadership(life) })
      return { ...all, greeting: await all.panel.hear() }
    }
    const [lower, higher] = [await greet('a'), await greet('b')]
    expect([lower.greeting, higher.greeting]).toMatchObject([{ type: 'hello' }, { type: 'hello' }])
    const change = async ({ panel, answer }: Bench, generation: number) => {
      panel.say(apply(generation, { order: order(generation, 5) }))
      return (await answer())['status']
    }
    expect(await change(lower, 900)).toBe('done')
    expect([await change(higher, 2), await change(higher, 1)]).toEqual(['done', 'superseded'])
    expect((await greet('a')).greeting).toMatchObject({ type: 'refused', leadership: leadership('b') })
  })

  test('does not affect other accounts with the state of one', async () => {
    const { panel, answer } = await greeted()
    const carol = account({ id: idOf(2), username: 'carol', uid: 20002, mainDomain: 'carol.example' })
    panel.say(apply(1, { order: order(9) }), apply(2, { order: order(1), account: carol }))
    const answers = [await answer(), await answer()]
    expect(answers.map(({ status }) => status)).toEqual(['done', 'done'])
  })

  test('does not bring back an account that has been removed since', async () => {
    const { panel, answer, root } = await greeted()
    panel.say(apply(1))
    await answer()
    panel.say({ ...apply(2), command: 'remove', input: { order: order(2), account: nameOf(account()) } })
    expect(await answer()).toEqual({ type: 'answer', id: 2, status: 'done', result: null })
    panel.say(apply(3, { order: order(1) }))
    expect(await answer()).toMatchObject({ status: 'superseded' })
    expect(Object.keys(snapshot(root))).not.toContain('home/bob')
  })

  test('keeps an account removed that an older command removed', async () => {
    const { panel, answer, root } = await greeted()
    panel.say(apply(1, { order: order(7) }))
    await answer()
    panel.say({ ...apply(2), command: 'remove', input: { order: order(6), account: nameOf(account()) } })
    expect(await answer()).toMatchObject({ status: 'superseded' })
    expect(Object.keys(snapshot(root))).toContain('home/bob')
  })

  test.each(['lost', 'emptied'])('survives a power failure, even if its record was %s', async (how) => {
    const root = join(tempDir(), 'host')
    const driver = (boot: string) => createDirectoryDriver({ root, boot })
    const first = await greeted(root, driver('first'))
    const carol = account({ id: idOf(2), username: 'carol', uid: 20002, mainDomain: 'carol.example' })
    first.panel.say(apply(5, { account: account({ suspended: true }) }), apply(6, { account: carol }))
    for (const _ of [5, 6]) expect(await first.answer()).toMatchObject({ status: 'done' })
    first.panel.say({ ...apply(7), command: 'remove', input: { order: order(7), account: nameOf(carol) } })
    await first.answer()
    for (const id of [idOf(1), idOf(2)]) {
      const note = join(root, 'var/lib/panel-host/generations', id)
      if (how === 'lost') rmSync(note)
      else truncateSync(note)
    }
    const { panel, answer } = await greeted(root, driver('second'))
    panel.say(apply(1, { order: order(4) }), apply(2, { order: order(6), account: carol }))
    const answers = [await answer(), await answer()]
    expect(answers.map(({ status }) => status)).toEqual(['superseded', 'superseded'])
    expect(Object.keys(snapshot(root))).not.toContain('home/carol')
    panel.say(apply(3, { order: order(5) }))
    expect(await answer()).toMatchObject({ status: 'done' })
  })
})
