import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AppRun, Launch, Left } from '../../src/host/apps/app-runner.ts'
import { LocalApps } from '../../src/host/apps/local.ts'
import { homeWork } from '../../src/host/debian/home.ts'
import { fill } from '../../src/host/debian/home-worker.ts'
import { directoryMachine } from '../../src/host/driver/directory-machine.ts'
import type { Machine } from '../../src/host/driver/machine.ts'
import { appHost, ask, asking, eventually, nodeApp, orderOf, unitOf } from '../host/apps/fixtures.ts'

/** Running apps survive an agent's end, and the next one is told of them. */
class Outliving extends LocalApps {
  override readonly outlives = true
  readonly runs = new Map<string, Left & { readonly app: string }>()
  tidied = 0

  override async start(launch: Launch): Promise<AppRun> {
    const run = await super.start(launch)
    const { app, label, key, bump, where } = launch
    const unit = `${app.id}-${this.runs.size}`
    const left = { app: app.id, label, key, bump, where, release: app.release, serves: false, run }
    this.runs.set(unit, left)
    void run.exited.then(() => this.runs.delete(unit))
    run.serves = async () => void this.runs.set(unit, { ...left, serves: true })
    return run
  }

  override async takeUp(app: string): Promise<[]> {
    return [...this.runs.values()].filter((left) => left.app === app) as unknown as []
  }

  override async tidy(): Promise<void> {
    this.tidied++
  }
}

const nothing = async () => {}
const ids = { uid: process.getuid!(), gid: process.getgid!() }

async function machineHost() {
  const first = await appHost()
  const { root } = first
  const context = new Outliving({ root, trusted: true, onFailPoint: () => {} })
  onTestFinished(async () => {
    for (const { run } of context.runs.values()) await run.kill()
  })
  const machine: Machine = {
    ...directoryMachine({ root, trustTenants: false }),
    kind: 'debian',
    apps: context,
    commands: {
      runCron: () => Promise.reject(),
      runPhp: () => Promise.reject(),
      recover: nothing,
      end: nothing,
      endNow: () => {},
    },
    owners: () => ids,
    checks: {},
    makeUser: async () => {},
    fillHome: async (_, plan) => {
      const work = homeWork('bob', plan)
      if (work) fill({ ...work, home: join(root, work.home) })
    },
    settle: async () => {},
    reopenLogs: async () => {},
    stop: async () => {},
    forget: async () => {},
  }
  const agent = async () => {
    const host = await appHost({ root, machine })
    await host.driver.recover()
    return host
  }
  return { context, agent }
}

const visible = async (where: string) => JSON.parse((await ask(where)).body) as { version: string; pid: number }

describe('agent that is restarted', { timeout: 60_000 }, () => {
  test('leaves a healthy app alone, and replaces it later with no lost request', async () => {
    const { context, agent } = await machineHost()
    const first = await agent()
    await first.apply([unitOf()])
    const { unit } = await first.deploy(orderOf(1, first.upload({ 'app.js': nodeApp('v1') })))
    const before = await visible(first.socket)
    first.driver.close()
    const second = await agent()
    await second.settle()
    expect(await visible(second.socket)).toEqual(before)
    expect((await second.driver.apps.appStatus({})).items).toMatchObject([{ status: 'running', release: 1 }])
    const load = asking(second.socket)
    await second.deploy({ ...orderOf(2, second.upload({ 'app.js': nodeApp('v2') })), app: unit })
    await eventually(() => load.versions()).toEqual(['v1', 'v2'])
    await load.stop()
    expect([...context.runs.values()].map(({ release, serves }) => [release, serves])).toEqual([[2, true]])
  })

  test('restarts an app that exits', async () => {
    const { agent } = await machineHost()
    const first = await agent()
    await first.apply([unitOf()])
    await first.deploy(orderOf(1, first.upload({ 'app.js': nodeApp('v1') })))
    const { pid } = await visible(first.socket)
    first.driver.close()
    const second = await agent()
    await second.settle()
    process.kill(pid, 'SIGKILL')
    await expect
      .poll(
        () =>
          visible(second.socket).then(
            (one) => one.pid !== pid,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true)
  })

  test('switches to the release its file calls current, and stops unlisted ones', async () => {
    const { context, agent } = await machineHost()
    const first = await agent()
    await first.apply([unitOf()])
    const { unit } = await first.deploy(orderOf(1, first.upload({ 'app.js': nodeApp('v1') })))
    const order = (host: typeof first) => ({ ...orderOf(2, host.upload({ 'app.js': nodeApp('v2') })), app: unit })
    await first.driver.apps.deployApp(order(first))
    first.driver.close()
    const second = await agent()
    expect(await visible(second.socket)).toMatchObject({ version: 'v1' })
    await eventually(() => [...context.runs.values()].map(({ release }) => release)).toEqual([1])
    await second.driver.apps.deployApp(order(second))
    second.driver.close()
    const path = join(second.root, 'etc/panel/apps', `${unit.id}.json`)
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), release: 2 }))
    const third = await agent()
    await third.settle()
    expect(await visible(third.socket)).toMatchObject({ version: 'v2' })
    expect([...context.runs.values()].map(({ release, serves }) => [release, serves])).toEqual([[2, true]])
    third.driver.close()
    rmSync(path)
    await agent()
    await eventually(() => [context.runs.size, context.tidied]).toEqual([0, 4])
  })
})
