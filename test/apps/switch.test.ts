import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { host, occurred, problem } from '../domains/fixtures.ts'
import { ask, program, programsOf, withAlice } from './fixtures.ts'

/** Keeps serving after it was told to exit. */
const stubborn = program('v1').replace('server.close(() => process.exit())', '0')

/** Runs something when a release is healthy, before the server knows. */
function whenHealthy(act: () => Promise<unknown>) {
  return (root: string): HostDriver => {
    const driver = createDirectoryDriver({ root, trustTenants: true })
    const { apps } = driver
    const deployApp: HostDriver['apps']['deployApp'] = async (order, options) => {
      const made = await apps.deployApp(order, options)
      await act()
      return made
    }
    const watched = {
      deployApp,
      settleApp: apps.settleApp.bind(apps),
      restartApp: apps.restartApp.bind(apps),
      appStatus: apps.appStatus.bind(apps),
    }
    return new Proxy(driver, {
      get: (target, name) => {
        const value = name === 'apps' ? watched : Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
}

describe('switch to a release', { timeout: 60_000 }, () => {
  test.each([
    ['cancelled', 'app.deploy cancelled'],
    ['suspended', 'app.deploy cancelled'],
  ])('does not switch to a release that is %s just before, and leaves nothing of it', async (what, ended) => {
    let act = async (): Promise<unknown> => undefined
    const driver = whenHealthy(() => act())
    const { panel, alice, app, deploy, show, directory, releases } = await withAlice({ trustTenants: true, driver })
    const { id } = await app('shop', 'node', { start: 'exec node app.js' })
    act = async () => {
      const { job_id } = (await releases(id))[0]
      if (what === 'cancelled') await panel.post(`/jobs/${job_id}/cancel`)
      else await panel.post(`/accounts/${alice.id}/suspend`)
    }
    await deploy(id, { 'app.js': program('v1') })
    expect((await occurred(panel)).jobs[0]).toBe(ended)
    expect(programsOf(panel)).toEqual([])
    expect((await releases(id)).map(({ status }) => status)).toEqual(['cancelled'])
    expect(await show(id)).toMatchObject({ status: 'new' })
    if (what === 'cancelled') expect(existsSync(join(directory('shop'), 'releases/1'))).toBe(false)
  })

  test('keeps an old release when the switch back to it is cancelled just before', async () => {
    let act = async (): Promise<unknown> => undefined
    const driver = whenHealthy(() => act())
    const { panel, path, app, live, socket, releases } = await withAlice({ trustTenants: true, driver })
    const { id } = await app('shop', 'node', { start: 'exec node app.js' })
    for (const text of ['v1', 'v2']) await live(id, text)
    const back = async (): Promise<string> => (await panel.post(`${path}/${id}/rollback`)).body.job_id
    act = async () => {
      const [job] = (await panel.get('/jobs?kind=app.rollback&order=desc')).body.items
      await panel.post(`/jobs/${job.id}/cancel`)
    }
    await back()
    expect((await occurred(panel)).jobs).toEqual(['app.rollback cancelled'])
    expect((await releases(id)).map(({ status }) => status)).toEqual(['superseded', 'live'])
    expect((await ask(socket(id))).text).toBe('v2')
    act = async () => undefined
    await back()
    expect((await occurred(panel)).jobs).toEqual(['app.rollback succeeded'])
    expect((await ask(socket(id))).text).toBe('v1')
  })

  test('refuses to cancel a switch once it is done, even by a suspension', async () => {
    const { panel, alice, app, live, deploy, show, socket, releases } = await withAlice()
    const { id } = await app('shop', 'node', { start: 'exec node app.js' })
    await live(id, { 'app.js': stubborn })
    const [former] = programsOf(panel)
    const { body } = await deploy(id, { 'app.js': program('v2') })
    await expect.poll(async () => (await show(id)).current_release_id).toBe(body.release.id)
    expect(problem(await panel.post(`/jobs/${body.job_id}/cancel`))).toEqual([409, 'not-cancellable'])
    await panel.post(`/accounts/${alice.id}/suspend`)
    process.kill(Number(former), 'SIGKILL')
    await occurred(panel)
    expect((await releases(id)).map(({ status }) => status)).toEqual(['superseded', 'live'])
    expect(programsOf(panel)).toEqual([])
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await occurred(panel)
    const answer = () =>
      ask(socket(id)).then(
        ({ text }) => text,
        () => '',
      )
    await expect.poll(answer).toBe('v2')
  })

  test('moves the site to the port of the release, for an app that listens on one', async () => {
    const { panel, alice, app, live, show } = await withAlice()
    const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
    const fields = { start: 'exec node app.js', listen: 'port', domain_id: domain.id }
    const { id } = await app('shop', 'node', fields)
    const source = { 'app.js': program('', 'return response.end(process.env.PORT)') }
    const ports: number[] = []
    for (let n = 0; n < 2; n++) {
      await live(id, source)
      const { port } = await show(id)
      expect(port).toBeGreaterThanOrEqual(20_000)
      expect(port).toBeLessThanOrEqual(29_999)
      expect(await textOf(port)).toBe(String(port))
      expect(host(panel).vhost('alice.example')).toContain(`127.0.0.1:${port}`)
      ports.push(port)
    }
    expect(new Set(ports).size).toBe(2)
    await expect(textOf(ports[0]!)).rejects.toThrow('ECONNREFUSED')
  })
})

const textOf = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, agent: false }, (answer) => {
      answer
        .setEncoding('utf8')
        .toArray()
        .then((parts) => resolve(parts.join('')), reject)
    })
    asking.on('error', reject).end()
  })
