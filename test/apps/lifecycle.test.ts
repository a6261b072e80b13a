import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventually } from '../cron/fixtures.ts'
import { host, occurred } from '../domains/fixtures.ts'
import { noticesOf } from '../notices/fixtures.ts'
import { ask, processesWith, program, programsOf, withAlice } from './fixtures.ts'

const node = { start: 'node app.js' }

describe('apps of an account', { timeout: 60_000 }, () => {
  test('stops apps and builds during a suspension, and runs the previous release again after it', async () => {
    const { panel, alice, path, app, live, deploy, show, socket } = await withAlice()
    const { id } = await app('shop', 'node', node)
    const first = await live(id, 'v1')
    await panel.patch(`${path}/${id}`, { build: 'sleep 63' })
    await occurred(panel)
    await deploy(id, { 'app.js': program('v2') })
    await eventually(() => processesWith('sleep\x0063').length).toBeGreaterThan(0)
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    expect(await occurred(panel)).toEqual({
      events: ['app.deploy_started', 'account.suspended', 'job.completed'],
      jobs: ['app.deploy cancelled', 'account.suspend succeeded'],
    })
    expect(processesWith('sleep\x0063')).toEqual([])
    expect(programsOf(panel)).toEqual([])
    expect(await show(id)).toMatchObject({ status: 'suspended', current_release_id: first.id })
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await occurred(panel)
    await expect.poll(() => ask(socket(id)).catch(() => undefined)).toEqual({ status: 200, text: 'v1' })
    await expect.poll(async () => (await show(id)).status).toBe('running')
  })

  test('accepts stops and changes of an app while the account is suspended, with effect after it', async () => {
    const { panel, alice, path, app, live, show, socket } = await withAlice()
    const { id } = await app('shop', 'node', { ...node, build: 'true' })
    await live(id, 'v1')
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await occurred(panel)
    const applied = { events: ['job.completed'], jobs: ['app.apply succeeded'] }
    expect((await panel.patch(`${path}/${id}`, { build: null })).status).toBe(202)
    expect(await occurred(panel)).toEqual(applied)
    expect((await panel.post(`${path}/${id}/stop`)).body.app).toMatchObject({ status: 'suspended', running: false })
    expect(await occurred(panel)).toEqual(applied)
    expect(programsOf(panel)).toEqual([])
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await occurred(panel)
    expect(await show(id)).toMatchObject({ status: 'stopped', running: false })
    expect(await show(id)).not.toHaveProperty('build')
    expect(programsOf(panel)).toEqual([])
    await panel.post(`${path}/${id}/start`)
    expect(await occurred(panel)).toEqual(applied)
    expect((await ask(socket(id))).text).toBe('v1')
  })

  test('removes apps with their account', async () => {
    const { panel, alice, app, live, socket } = await withAlice()
    const { id } = await app('shop', 'node', node)
    await live(id, 'v1')
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await occurred(panel)
    expect(programsOf(panel)).toEqual([])
    expect(existsSync(socket(id))).toBe(false)
    expect(panel.store.sqlite.prepare('SELECT count(*) AS n FROM apps').get()).toEqual({ n: 0 })
  })

  test('runs apps in the new home when it is renamed', async () => {
    const { panel, alice, app, live, socket } = await withAlice()
    const { id } = await app('shop', 'node', { start: 'node app.js' })
    await live(id, { 'app.js': program('', 'return response.end(process.cwd())') })
    await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
    await occurred(panel)
    const where = async () => (await ask(socket(id)).catch(() => ({ text: '' }))).text
    await expect.poll(where).toContain('/home/alicia/apps/shop/releases/1')
  })

  test('stops, starts and restarts an app', async () => {
    const { panel, path, app, live, show, socket } = await withAlice()
    const { id } = await app('shop', 'node', node)
    await live(id, { 'app.js': program('', 'return response.end(String(process.pid))') })
    const pid = async () => (await ask(socket(id))).text
    const applied = { events: ['job.completed'], jobs: ['app.apply succeeded'] }
    const first = await pid()
    await panel.post(`${path}/${id}/start`)
    expect(await occurred(panel)).toEqual(applied)
    expect(await pid()).toBe(first)
    await panel.post(`${path}/${id}/restart`)
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['app.restart succeeded'] })
    expect(await pid()).not.toBe(first)
    expect((await panel.post(`${path}/${id}/stop`)).body.app.status).toBe('stopped')
    expect(await occurred(panel)).toEqual(applied)
    expect(programsOf(panel)).toEqual([])
    await panel.post(`${path}/${id}/start`)
    expect(await occurred(panel)).toEqual(applied)
    expect(await show(id)).toMatchObject({ status: 'running', running: true })
    expect((await ask(socket(id))).status).toBe(200)
  })

  test('stops and starts an app of static files', async () => {
    const { panel, alice, path, app, live, show } = await withAlice({})
    const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
    const { id } = await app('docs', 'static', { domain_id: domain.id })
    await live(id, { 'index.html': 'hello' })
    const vhost = () => host(panel).vhost('alice.example')
    expect(vhost()).toContain('root /home/alice/apps/docs/current;')
    expect((await show(id)).status).toBe('running')
    for (const [verb, status] of [
      ['stop', 'stopped'],
      ['start', 'running'],
      ['restart', 'running'],
    ]) {
      await panel.post(`${path}/${id}/${verb}`)
      expect((await occurred(panel)).events).toEqual(['job.completed'])
      expect((await show(id)).status).toBe(status)
      expect(vhost().includes('return 503;')).toBe(status === 'stopped')
    }
  })

  test('keeps the port or socket of an app until the next deploy', async () => {
    const { panel, path, app, live, show, socket } = await withAlice()
    const { id } = await app('shop', 'node', node)
    await live(id, 'v1')
    await panel.patch(`${path}/${id}`, { listen: 'port' })
    expect((await occurred(panel)).jobs).toEqual(['app.apply succeeded'])
    expect((await ask(socket(id))).text).toBe('v1')
    expect(await show(id)).not.toHaveProperty('port')
    await live(id, 'v2')
    expect((await show(id)).port).toBeGreaterThanOrEqual(20_000)
  })

  test('reports an app that exits repeatedly as crashed', async () => {
    const { panel, alice, app, live, show, socket } = await withAlice()
    const { id } = await app('shop', 'node', node)
    await live(id, { 'app.js': program('v1', 'if (request.url === "/end") process.exit(3)') })
    for (let n = 0; n < 5; n++) {
      const alive = () =>
        ask(socket(id)).then(
          ({ status }) => status,
          () => 0,
        )
      await expect.poll(async () => (await show(id)).status === 'crashed' || (await alive())).toBeTruthy()
      await ask(socket(id), '/end').catch(() => undefined)
    }
    await expect.poll(async () => (await show(id)).status).toBe('crashed')
    const { status_reason } = await show(id)
    expect(status_reason).toEqual(expect.any(String))
    expect(await noticesOf(panel, alice.id)).toEqual([
      {
        kind: 'app-crashed',
        severity: 'error',
        object: 'app',
        object_id: id,
        name: 'shop',
        detail: status_reason,
        since: panel.clock.now(),
        operation: 'restartApp',
        command: 'panel apps show shop -a alice',
        mend: 'panel apps restart shop -a alice',
        account_id: alice.id,
        username: 'alice',
      },
    ])
    await panel.post(`/accounts/${alice.id}/apps/${id}/stop`)
    expect(await noticesOf(panel, alice.id)).toEqual([])
    await panel.settle()
    panel.forget()
    expect(panel.events()).toEqual([])
  })

  test('follows the log of an app', async () => {
    const { panel, path, app, live, socket } = await withAlice()
    const { id } = await app('shop', 'node', node)
    expect((await panel.get(`${path}/${id}/log`)).body.items).toEqual([])
    await live(id, { 'app.js': program('v1', 'console.log("out " + request.url); console.error("err")') })
    await ask(socket(id), '/first')
    const lines = async (query = '') =>
      (await panel.get(`${path}/${id}/log${query}`)).body.items.map((one: { text: string }) => one.text)
    await expect.poll(() => lines(), { timeout: 10_000 }).toEqual(expect.arrayContaining(['out /first', 'err']))
    const { next } = (await panel.get(`${path}/${id}/log`)).body
    await ask(socket(id), '/second')
    await expect.poll(() => lines(`?cursor=${next}`), { timeout: 10_000 }).toContain('out /second')
    expect(await lines(`?cursor=${next}`)).not.toContain('out /first')
    expect((await panel.get(`${path}/${id}/log?cursor=forged`)).status).toBe(400)
  })
})
