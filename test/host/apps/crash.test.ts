import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agentFolder, childTransport } from '../../../src/host/agent/client/child.ts'
import { AgentClient } from '../../../src/host/agent/client/client.ts'
import type { AppUnit, DeployRequest } from '../../../src/host/contract/driver.ts'
import { beginOf } from '../../../src/host/tenant/processes.ts'
import { builtAgent } from '../../built.ts'
import { account, nameOf, server } from '../helpers.ts'
import { appHost, appId, ask, eventually, nodeApp, orderOf, processesOf, unitOf } from './fixtures.ts'

/** A host whose agent runs in its own process, which can be killed at a point. */
async function agentHost() {
  const host = await appHost()
  const words = [...(await builtAgent('test/faults/agent.ts')), '--root', host.root, '--trust-tenants']
  const client = new AgentClient({
    transport: childTransport(words, join(host.root, agentFolder), () => {}),
    build: 'test',
    after: (ms, act) => {
      const timer = setTimeout(act, ms)
      return () => clearTimeout(timer)
    },
    log: { info: () => {}, warn: () => {} },
  })
  onTestFinished(() => client.close())
  client.stay('apps', true)
  let generation = 0
  const apply = (apps: readonly AppUnit[]) =>
    client.apply({
      order: { epoch: 1, generation: ++generation },
      server,
      account: account({ parts: { apps: { apps, gone: [] } } }),
    })
  await apply([unitOf()])
  return {
    ...host,
    client,
    killAt: (point: string) =>
      writeFileSync(join(host.root, '../kill.json'), JSON.stringify({ point, after: 0, victim: 'agent' })),
    async deploy(order: DeployRequest): Promise<AppUnit> {
      const { root } = await client.deployApp(order)
      const unit: AppUnit = { ...order.app, root, release: order.release }
      await apply([unit])
      await client.settleApp({ app: { account: nameOf(account()), id: appId, name: 'shop' }, keep: [1, 2] })
      return unit
    },
  }
}

const versionAt = (where: string) =>
  ask(where).then(
    ({ body }) => JSON.parse(body).version,
    () => 'none',
  )

const processes = (root: string) => processesOf(root).filter((line) => line === 'node app.js')

describe('kill -9 of the agent', { timeout: 60_000 }, () => {
  test.each([
    'release-begun',
    'release-fetched',
    'release-built',
    'release-named',
    'app-started',
    'release-healthy',
    'app-switch',
    'app-linked',
    'app-switched',
    'app-drained',
    'releases-pruned',
  ])('has one current release, served by one process, after a kill at %s of a deploy', async (point) => {
    const host = await agentHost()
    await host.deploy(orderOf(1, host.upload({ 'app.js': nodeApp('v1') })))
    const source = host.upload({ 'app.js': nodeApp('v2') })
    host.killAt(point)
    await host.deploy(orderOf(2, source))
    await eventually(() => versionAt(host.socket)).toBe('v2')
    await eventually(() => processes(host.root)).toEqual(['node app.js'])
    expect(host.current()).toBe('releases/2')
    expect(host.releases()).toEqual(['1', '2'])
  })

  test('restarts a serving app with the next agent on its own, and runs nothing twice', async () => {
    const host = await agentHost()
    await host.deploy(orderOf(1, host.upload({ 'app.js': `process.title = 'hidden'\n${nodeApp('v1')}` })))
    const { pid } = JSON.parse((await ask(host.socket)).body)
    host.killAt('release-begun')
    const failing = host.client.deployApp(orderOf(2, host.upload({ 'app.js': 'process.exit(1)' })))
    await expect(failing).rejects.toThrow('The app exited with code 1 before it was healthy.')
    await eventually(() => versionAt(host.socket)).toBe('v1')
    expect(JSON.parse((await ask(host.socket)).body).pid).not.toBe(pid)
    expect(beginOf(pid)).toBeUndefined()
    expect(host.current()).toBe('releases/1')
    expect(host.releases()).toEqual(['1'])
  })
})
