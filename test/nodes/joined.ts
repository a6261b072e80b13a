import { join as path } from 'node:path'
import { join } from '../../src/host/nodes/node/join.ts'
import type { Json, TestPanel } from '../harness.ts'
import { dial } from '../host/fleet/world.ts'

/** The contents of a join line. */
export function lineOf(line: string) {
  const [, secret, host, port, node, pin] =
    /^echo ([0-9a-f]{32}) \| panel host join ([a-z0-9.-]+):(\d+) --node ([0-9A-Z]{26}) --pin ([0-9a-f]{64})$/.exec(
      line,
    )!
  return { secret: secret!, host, port: Number(port), node: node!, pin: pin! }
}

/** Joins a machine below the panel's directory. The server's name does not resolve in a test. */
export async function joinBy(panel: TestPanel, line: string, name = 'web2', over: object = {}): Promise<string> {
  const { port, host: _, ...rest } = lineOf(line)
  const root = path(panel.dir, name)
  await join({ ...rest, root, address: `127.0.0.1:${port}`, clock: panel.clock, ...over })
  return root
}

export async function created(panel: TestPanel, body: object = { name: 'web2' }): Promise<Json> {
  const reply = await panel.post('/nodes', body)
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
  return reply.body
}

/** Moves time on until something holds. */
export async function eventually(panel: TestPanel, is: () => boolean | Promise<boolean>, step = 100): Promise<void> {
  for (let turn = 0; !(await is()); turn++) {
    if (turn > 1000) throw new Error('It never came.')
    await new Promise((resolve) => setTimeout(resolve, 5))
    await panel.clock.advance(step)
  }
}

/** A joined node, whose agent is in this process. */
export async function joined(panel: TestPanel, name = 'web2') {
  const { join_line, node } = await created(panel, { name })
  const root = await joinBy(panel, join_line, name)
  const agent = await dial({ root, clock: panel.clock })
  await eventually(panel, () => panel.panel.runtime.nodes.why(name) === undefined)
  return { id: node.id as string, root, agent }
}
