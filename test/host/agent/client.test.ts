import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AgentClient } from '../../../src/host/agent/client/client.ts'
import type { Transport } from '../../../src/host/agent/client/transport.ts'
import { HostAgent } from '../../../src/host/agent/service/agent.ts'
import { superseded } from '../../../src/host/contract/client.ts'
import { createDirectoryDriver } from '../../../src/host/driver/file-driver.ts'
import { transportTo } from '../../agent.ts'
import { FakeClock, turns } from '../../clock.ts'
import { PausedDriver } from '../../drivers.ts'
import { account, idOf, nameOf, server, tempDir } from '../helpers.ts'
import { hello, type Peer, played } from './peer.ts'

const desired = { order: { epoch: 1, generation: 1 }, server, account: account() }
const second = 1000

function clientOf(transport: Transport) {
  const clock = new FakeClock()
  const logged: string[] = []
  const write = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const log = { info: () => {}, warn: write }
  const client = new AgentClient({ transport, build: 'test', after: clock.after.bind(clock), log })
  onTestFinished(() => client.close())
  return { client, clock, logged }
}

/** A command's messages while it waits. */
function listening() {
  const lines: string[] = []
  return { lines, options: { waits: (line: string) => void lines.push(line) } }
}

/** Greets, and answers each command as told. */
async function answering(agent: Peer, answer: (id: number) => object | undefined): Promise<void> {
  await agent.hear()
  agent.say(hello)
  for (let frame = await agent.hear(); frame; frame = await agent.hear()) {
    const output = answer(frame['id'] as number)
    if (output) agent.say({ type: 'answer', id: frame['id'], ...output })
  }
}

/** Greets, and only answers a number of pings. */
async function hanging(agent: Peer, pings: number): Promise<void> {
  await agent.hear()
  agent.say({ ...hello, capabilities: ['ping'] })
  for (let frame = await agent.hear(); frame; frame = await agent.hear())
    if (frame['type'] === 'ping' && pings-- > 0) agent.say({ type: 'pong' })
}

const done = { status: 'done', result: null }

describe('client of the agent', () => {
  test('talks to an agent of its own version', async () => {
    const root = join(tempDir(), 'host')
    const driver = createDirectoryDriver({ root })
    const { client } = clientOf(transportTo(() => HostAgent.start({ driver, root, build: 'test' })))
    expect(client.status).toEqual({ status: 'idle' })
    const lines: string[] = []
    const applied = await client.apply(desired, { progress: (line, share) => void lines.push(`${line} ${share}`) })
    expect(applied).toMatchObject({ warnings: [] })
    expect(lines).toEqual(['bob: files are in place 1'])
    expect(await client.apply({ ...desired, order: { epoch: 1, generation: 0 } })).toBe(superseded)
    const [usage] = await client.usage({ accounts: [nameOf(account())] })
    expect(usage).toMatchObject({ id: account().id, inodes: expect.any(Number) })
    expect(await client.remove({ account: nameOf(account()), order: { epoch: 1, generation: 2 } })).toBeNull()
    expect(client.status).toEqual({ status: 'running' })
  })

  test('ignores unknown fields of an answer and unknown kinds of frames', async () => {
    const { client } = clientOf(
      played((agent) => {
        void answering(agent, () => {
          agent.say({ type: 'gossip', id: 1 }, { type: 'progress', id: 77, line: 'late', done: 1 })
          return { ...done, weather: 'fine' }
        })
      }),
    )
    expect(await client.remove({ account: nameOf(account()), order: desired.order })).toBeNull()
  })

  test.each([
    [{ status: 'unsupported', message: 'The host agent does not know every part.' }, { stage: 'unsupported' }],
    [{ status: 'failed', stage: 'install', message: 'The disk of the host is full.' }, { stage: 'install' }],
    [{ status: 'failed', message: 'TypeError: undefined' }, { name: 'Error' }],
  ])("throws the agent's error: %j", async (answer, error) => {
    const { client } = clientOf(played((agent) => void answering(agent, () => answer)))
    await expect(client.apply(desired)).rejects.toMatchObject({ message: answer.message, ...error })
  })

  test('cancels a command, and throws the reason', async () => {
    const root = join(tempDir(), 'host')
    const driver = new PausedDriver(root)
    const { client } = clientOf(transportTo(() => HostAgent.start({ driver, root, build: 'test' })))
    const stop = new AbortController()
    const applying = client.apply(desired, { signal: stop.signal })
    await expect.poll(() => driver.calls).toEqual(['apply bob'])
    stop.abort(new Error('enough'))
    await expect(applying).rejects.toThrow('enough')
    await expect(client.usage({ accounts: [] }, { signal: stop.signal })).rejects.toThrow('enough')
  })

  test('stops an agent that was idle for a minute, and starts another when needed', async () => {
    let agents = 0
    const { client, clock } = clientOf(
      played((agent, count) => {
        agents = count
        void answering(agent, () => done)
      }),
    )
    await client.remove({ account: nameOf(account()), order: desired.order })
    await clock.advance(59 * second)
    expect(client.status).toEqual({ status: 'running' })
    await client.remove({ account: nameOf(account()), order: desired.order })
    await clock.advance(59 * second)
    expect(client.status).toEqual({ status: 'running' })
    await clock.advance(second)
    expect([client.status, agents]).toEqual([{ status: 'idle' }, 1])
    await client.remove({ account: nameOf(account()), order: desired.order })
    expect([client.status, agents]).toEqual([{ status: 'running' }, 2])
  })
})

describe('agent that is lost', () => {
  test('restarts a lost agent, and sends pending commands again', async () => {
    const { client } = clientOf(
      played((agent, count) => {
        void answering(agent, (id) => {
          if (count === 1 && id === 2) agent.stream.destroy()
          return count === 1 ? undefined : done
        })
      }),
    )
    const [one, other] = [listening(), listening()]
    const removing = [one, other].map(({ options }) =>
      client.remove({ account: nameOf(account()), order: desired.order }, options),
    )
    expect(await Promise.all(removing)).toEqual([null, null])
    expect([one.lines, other.lines]).toEqual(Array(2).fill(['The host agent exited. It is started again.']))
  })

  test('cancels a command of a hanging agent, which it kills after ten seconds', async () => {
    const { client, clock } = clientOf(
      played((agent, count) => {
        void answering(agent, () => (count === 1 ? undefined : done))
      }),
    )
    const stop = new AbortController()
    let ended = false
    const stopping = client.apply(desired, { signal: stop.signal }).finally(() => {
      ended = true
    })
    const { lines, options } = listening()
    const beside = client.remove({ account: nameOf(account()), order: desired.order }, options)
    await turns()
    stop.abort(new Error('enough'))
    await clock.advance(9 * second)
    expect(ended).toBe(false)
    await Promise.all([expect(stopping).rejects.toThrow('enough'), clock.advance(second)])
    expect(await beside).toBeNull()
    expect(lines).toEqual(['The host agent did not answer and was killed. It is started again.'])
  })

  test('kills a hanging agent after half a minute without an answer to pings', async () => {
    const { client, clock } = clientOf(
      played((agent, count) => void (count === 1 ? hanging(agent, 3) : answering(agent, () => done))),
    )
    const { lines, options } = listening()
    const removing = client.remove({ account: nameOf(account()), order: desired.order }, options)
    await turns()
    for (let pings = 0; pings < 3; pings++) await clock.advance(10 * second)
    await clock.advance(29 * second)
    expect(lines).toEqual([])
    await clock.advance(second)
    expect(await removing).toBeNull()
    expect(lines).toEqual(['The host agent did not answer and was killed. It is started again.'])
  })

  test('does not expect answers to pings of an agent too old to know them', async () => {
    const heard: unknown[] = []
    const { client, clock } = clientOf(
      played((agent) => {
        void answering(agent, (id) => {
          heard.push(id)
          return undefined
        })
      }),
    )
    const stop = new AbortController()
    const removing = client.remove({ account: nameOf(account()), order: desired.order }, { signal: stop.signal })
    await turns()
    await clock.advance(120 * second)
    expect([client.status, heard]).toEqual([{ status: 'running' }, [1]])
    stop.abort(new Error('enough'))
    await Promise.all([expect(removing).rejects.toThrow('enough'), clock.advance(10 * second)])
  })

  test('says nothing of a run that continues without an agent lost repeatedly', async () => {
    const { client } = clientOf(
      played((agent) => {
        void answering(agent, () => {
          agent.stream.destroy()
          return undefined
        })
      }),
    )
    const run = { account: nameOf(account()), run: idOf(5) }
    await expect(client.awaitCron(run)).rejects.toMatchObject({ name: 'HostError', code: 'unreachable' })
  })

  test('fails the command that loses the agent each time', async () => {
    const { client } = clientOf(
      played((agent) => {
        void answering(agent, () => {
          agent.stream.destroy()
          return undefined
        })
      }),
    )
    const { lines, options } = listening()
    await expect(client.apply(desired, options)).rejects.toMatchObject({
      name: 'HostError',
      message: 'The host agent exited each time it started this change.',
    })
    expect(lines).toHaveLength(4)
  })

  test('restarts an agent that sends an invalid frame', async () => {
    const { client } = clientOf(
      played((agent, count) => {
        void answering(agent, () => {
          if (count === 1) agent.stream.write(Buffer.alloc(8, 0xff))
          return count === 1 ? undefined : done
        })
      }),
    )
    expect(await client.remove({ account: nameOf(account()), order: desired.order })).toBeNull()
  })
})

describe('agent that cannot be reached', () => {
  const unreachable = 'The host agent could not be started: spawn ENOENT.'

  /** A number of attempts fail. */
  function failing(failures: number) {
    let tries = 0
    const there = played((agent) => void answering(agent, () => done))
    const transport: Transport = () => (++tries > failures ? there() : Promise.reject(new Error(unreachable)))
    return { ...clientOf(transport), tries: () => tries }
  }

  test('retries after 1, 2 and 4 seconds and so on, while commands wait and report why once', async () => {
    const { client, clock, tries, logged } = failing(4)
    const { lines, options } = listening()
    const removing = client.remove({ account: nameOf(account()), order: desired.order }, options)
    await turns()
    const seen: number[] = []
    for (let passed = 0; passed < 15; passed++) {
      seen.push(tries())
      await clock.advance(second)
    }
    expect(seen).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4])
    expect(client.status).toEqual({ status: 'running' })
    expect(await removing).toBeNull()
    expect(lines).toEqual([`${unreachable} The job waits for the host agent.`, 'The host agent is back.'])
    expect(logged).toHaveLength(4)
  })

  test('shows an unreachable agent in the status, and reports it to later commands', async () => {
    const { client } = failing(1)
    const stop = new AbortController()
    const first = client.usage({ accounts: [] }, { signal: stop.signal })
    await turns()
    expect(client.status).toEqual({ status: 'unreachable', reason: unreachable })
    const { lines, options } = listening()
    const later = client.usage({ accounts: [] }, { ...options, signal: stop.signal })
    expect(lines).toEqual([`${unreachable} The job waits for the host agent.`])
    stop.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    await expect(later).rejects.toThrow('enough')
  })

  test('does not retry once nothing waits for the agent', async () => {
    const { client, clock, tries } = failing(9)
    const stop = new AbortController()
    const waiting = client.usage({ accounts: [] }, { signal: stop.signal })
    await turns()
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await clock.advance(60 * second)
    expect(tries()).toBe(1)
    const next = client.usage({ accounts: [] })
    await turns()
    expect(tries()).toBe(2)
    await client.close()
    await expect(next).rejects.toThrow('The server is stopping.')
  })

  test('kills an agent that does not answer after half a minute', async () => {
    const { client, clock } = clientOf(
      played((agent, count) => {
        if (count > 1) void answering(agent, () => done)
      }),
    )
    const { lines, options } = listening()
    const removing = client.remove({ account: nameOf(account()), order: desired.order }, options)
    await turns()
    await clock.advance(29 * second)
    expect(lines).toEqual([])
    await clock.advance(2 * second)
    expect(await removing).toBeNull()
    expect(lines).toEqual([
      'The host agent did not answer and was killed. The job waits for the host agent.',
      'The host agent is back.',
    ])
  })

  test.each([
    [{ type: 'refused', reason: 'The journal cannot be read.' }, 'The journal cannot be read.'],
    [
      { ...hello, protocol: { min: 4, max: 5 } },
      'The panel test speaks version 1 of the host protocol and the host agent test versions 4 to 5: update the panel.',
    ],
    [{ type: 'progress' }, 'The first frame is not a hello.'],
  ])('reports the reason of an agent that says %j', async (first, reason) => {
    const { client } = clientOf(played((agent) => agent.say(first)))
    const stop = new AbortController()
    const waiting = client.usage({ accounts: [] }, { signal: stop.signal })
    await expect.poll(() => client.status).toEqual({ status: 'unreachable', reason })
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})
