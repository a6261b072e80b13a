import { describe, expect, onTestFinished, test } from 'vitest'
import { Link } from '../../../src/host/agent/client/link.ts'
import type { CommandName } from '../../../src/host/agent/protocol/messages.ts'
import { HostAgent } from '../../../src/host/agent/service/agent.ts'
import { serveConnection } from '../../../src/host/agent/service/session.ts'
import { NodeGuard } from '../../../src/host/nodes/panel/guard.ts'
import { connected } from '../../socket-pair.ts'
import { hello, Peer } from '../agent/peer.ts'
import { idOf, tempDir } from '../helpers.ts'
import { cases } from './cases.ts'
import { driverThatAnswers } from './driver.ts'
import { mutations, Outcomes } from './mutations.ts'

type Answer = { readonly status: string; readonly stage?: string; readonly message?: string; readonly result?: unknown }

/** An agent whose driver answers everything alike, and a panel played by the test. */
async function agentAlone() {
  const [own, theirs] = connected()
  const { driver, answerWith } = driverThatAnswers()
  void serveConnection(theirs, HostAgent.start({ driver, root: tempDir(), build: 'test' }))
  const panel = new Peer(own)
  onTestFinished(() => void own.destroy())
  panel.say(hello)
  await panel.hear()
  let id = 0
  const ask = async (frame: object): Promise<Answer> => {
    panel.say({ type: 'command', id: ++id, node: 'local', ...frame })
    const { type: _, id: __, ...answer } = (await panel.hear()) ?? {}
    return answer as unknown as Answer
  }
  return { ask, answerWith }
}

const refusalIn = ({ status, stage, message = '' }: Answer): string => {
  if (status === 'done' || status === 'superseded') return 'accepted'
  // Without a stage it is an error of the program, whose text has a stack.
  return stage || status === 'unsupported' ? `${status} ${message}` : `${status} by an exception`
}

describe('commands over the socket', () => {
  test.each(Object.keys(cases))(
    '%s is read, and refused when hostile',
    async (command) => {
      const { ask, answerWith } = await agentAlone()
      const outcomes = new Outcomes()
      for (const [n, { input, result }] of cases[command]!.entries()) {
        answerWith(result)
        const answer = await ask({ command, input })
        outcomes.add(`${command} ${n}`, 'as sent', refusalIn(answer))
        for (const { path, change, value } of mutations(input)) {
          const size = JSON.stringify(value)?.length ?? 0
          if (size > 15_000_000) continue
          outcomes.add(`${command} ${n} ${path}`, change, refusalIn(await ask({ command, input: value })))
        }
      }
      await expect(outcomes.text).toMatchFileSnapshot(`golden/request.${command}.txt`)
    },
    60_000,
  )

  test('an invalid frame is refused as a whole', async () => {
    const { ask } = await agentAlone()
    const room = { command: 'room', input: {} }
    const answers = [
      await ask({ command: 'weather', input: {} }),
      await ask({ ...room, node: 'web2' }),
      await ask({ ...room, weather: 'fine' }),
      await ask({ command: 'constructor', input: {} }),
      await ask({ input: {} }),
      await ask({ command: 'files', input: { account: {}, verb: 'list', input: {} } }),
    ]
    await expect(`${answers.map(refusalIn).join('\n')}\n`).toMatchFileSnapshot('golden/frames.txt')
  })
})

const node = { id: idOf(1), name: 'web2', fingerprint: null }

/** A link to a node played by the test. */
async function linkToNode() {
  const [own, theirs] = connected()
  const broke: string[] = []
  const keeper = { findElsewhere: () => undefined } as never
  const guard = new NodeGuard({ node, keeper, certified: () => {}, broke: (what) => void broke.push(what) })
  const channel = { stream: own, ended: Promise.resolve('gone'), bulk: () => Promise.reject(), kill: () => {} }
  const link = new Link(channel, hello as never, () => () => {}, guard)
  const peer = new Peer(theirs)
  onTestFinished(() => void own.destroy())
  const greeting = link.introduce()
  await peer.hear()
  peer.say(hello)
  await greeting
  const answered = async (command: CommandName, input: object, answer: object): Promise<string> => {
    const reply = link.ask('web2', command, input as never, {})
    const frame = await peer.hear()
    peer.say({ type: 'answer', id: frame!['id'], ...answer })
    return reply.then(
      () => 'accepted',
      () => broke[0] ?? 'lost',
    )
  }
  return { answered, over: () => link.over }
}

describe("answers over a node's link", () => {
  test.each(Object.keys(cases))(
    'to %s are read, and refused when hostile',
    async (command) => {
      const outcomes = new Outcomes()
      let world = await linkToNode()
      const add = async (where: string, change: string, input: object, result: unknown) => {
        outcomes.add(where, change, await world.answered(command as CommandName, input, { status: 'done', result }))
        if (world.over()) world = await linkToNode()
      }
      for (const [n, { input, result }] of cases[command]!.entries()) {
        await add(`${command} ${n}`, 'as sent', input, result)
        for (const { path, change, value } of mutations(result)) {
          if ((JSON.stringify(value)?.length ?? 0) > 15_000_000) continue
          await add(`${command} ${n} ${path}`, change, input, value)
        }
      }
      await expect(outcomes.text).toMatchFileSnapshot(`golden/answer.${command}.txt`)
    },
    60_000,
  )

  test('outcomes are read, and refused when hostile', async () => {
    const outcomes = new Outcomes()
    const fileError = { code: 'changed', field: 'path', size: 5 }
    for (const outcome of [
      { status: 'superseded' },
      { status: 'cancelled' },
      { status: 'unsupported', message: 'A sentence.' },
      { status: 'failed', stage: 'stage', message: 'A sentence.', fileError },
    ])
      for (const { path, change, value } of mutations(outcome)) {
        const { answered } = await linkToNode()
        if (value === undefined || value === null || typeof value !== 'object') continue
        outcomes.add(`${outcome.status} ${path}`, change, await answered('restartApp', {}, value))
      }
    await expect(outcomes.text).toMatchFileSnapshot('golden/outcomes.txt')
  }, 60_000)
})
