import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type NodeRow, nodes } from '../../src/areas/nodes/tables.ts'
import type { AgentClient } from '../../src/host/agent/client/client.ts'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { agentWithOptions } from '../agent.ts'
import type { TestPanel } from '../harness.ts'

interface SecondNode extends Partial<Omit<NodeRow, 'driver'>> {
  readonly name: string
  readonly driver?: (root: string) => HostDriver
  /** Whether its agent is a service that its runs outlive. */
  readonly debian?: boolean
}

/** A node without a link: the row that joining would have created. */
export const enrolled = (panel: TestPanel, { driver: _, debian: __, ...row }: SecondNode): Promise<void> => {
  const { runtime } = panel.panel
  const made = { id: runtime.id(), state: 'active', next_uid: 20_000, created_at: panel.clock.now() } as const
  return panel.store.change(
    () =>
      void panel.store.db
        .insert(nodes)
        .values({ roles: ['web', 'db', 'mail'], ...made, ...row })
        .run(),
  )
}

/** A node whose agent is in this process, on its own directory. */
export async function second(panel: TestPanel, expected: SecondNode): Promise<{ root: string; host: AgentClient }> {
  const { name, driver: make = (root) => createDirectoryDriver({ root }) } = expected
  const root = join(panel.dir, name)
  await enrolled(panel, expected)
  const { runtime, fleet } = panel.panel
  const host = agentWithOptions({
    driver: make(root),
    root,
    log: runtime.log,
    node: name,
    service: expected.debian ?? false,
  })
  onTestFinished(() => host.close())
  fleet.attach(name, host)
  runtime.nodes.open(name)
  return { root, host }
}

/** Its link is lost: does what the link's keeper does. */
export function lose(panel: TestPanel, name: string): void {
  const why = `Node ${name} is down: it has not answered for 6 seconds.`
  panel.panel.fleet.detach(name, why)
  panel.panel.runtime.nodes.close(name, why)
}

export function find(panel: TestPanel, name: string, host: AgentClient): void {
  panel.panel.fleet.attach(name, host)
  panel.panel.runtime.nodes.open(name)
}
