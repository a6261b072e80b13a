import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../cron/fixtures.ts'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { listen } from '../jobs/fixtures.ts'
import { archive, ask, asking, processesWith, program, programsOf, uploaded, withAlice } from './fixtures.ts'

const node = { start: 'node app.js' }
const deployed = { events: ['app.deploy_started', 'job.completed'], jobs: ['app.deploy succeeded'] }
const failed = { events: ['app.deploy_started', 'job.failed'], jobs: ['app.deploy failed'] }

describe('deploy', { timeout: 60_000 }, () => {
  test('replaces a running program without losing a request', async () => {
    const { panel, app, deploy, show, socket, releases, directory } = await withAlice()
    const { id } = await app('shop', 'node', node)
    const first = await deploy(id, { 'app.js': program('v1') })
    expect([first.status, first.body.release]).toEqual([
      202,
      {
        id: first.body.release.id,
        number: 1,
        source: 'archive',
        status: 'queued',
        job_id: first.body.job_id,
        created_at: panel.clock.now(),
      },
    ])
    expect(await occurred(panel)).toEqual(deployed)
    expect(await show(id)).toMatchObject({ status: 'running', current_release_id: first.body.release.id })
    const stop = asking(socket(id))
    const steps = listen(panel, 'app.deploy')
    const second = await deploy(id, { 'app.js': program('v2') })
    expect(await occurred(panel)).toEqual(deployed)
    expect(steps).toEqual(['fetch', 'check', 'switch', 'finish'])
    expect(await stop()).toEqual(['200 v1, 200 v2', '200 v1, 200 v2'])
    expect(await releases(id)).toMatchObject([
      { number: 1, status: 'superseded' },
      { number: 2, status: 'live', size_bytes: expect.any(Number), activated_at: panel.clock.now() },
    ])
    expect(await show(id)).toMatchObject({ status: 'running', current_release_id: second.body.release.id })
    expect(await show(id)).not.toHaveProperty('deploying_release_id')
    expect(readlinkSync(join(directory('shop'), 'current'))).toMatch(/(^|\/)2$/)
    await eventually(() => programsOf(panel).length).toBe(1)
  })

  test.each([
    [
      'is not healthy',
      { 'app.js': program('v2', 'response.statusCode = 500') },
      { health_timeout_s: 1 },
      /healthy|health/,
    ],
    ['ends at once', { 'app.js': 'process.exit(3)' }, { health_timeout_s: 2 }, /./],
    ['cannot be built', { 'app.js': program('v2') }, { build: 'echo building; exit 1' }, /1/],
  ])(
    'leaves nothing behind of a deploy that %s, and keeps serving the live release',
    async (_what, files, settings, error) => {
      const { panel, path, app, live, deploy, show, socket, releases, directory } = await withAlice()
      const { id } = await app('shop', 'node', node)
      const first = await live(id, 'v1')
      await panel.patch(`${path}/${id}`, settings)
      await occurred(panel)
      const { body } = await deploy(id, files)
      expect(await occurred(panel)).toEqual(failed)
      const [, release] = await releases(id)
      expect((await panel.get(path.replace('/apps', '/uploads'))).body.items).toEqual([])
      expect(release).toMatchObject({ id: body.release.id, status: 'failed', error: expect.stringMatching(error) })
      expect(await ask(socket(id))).toEqual({ status: 200, text: 'v1' })
      expect(await show(id)).toMatchObject({ status: 'running', current_release_id: first.id })
      expect(await show(id)).not.toHaveProperty('deploying_release_id')
      expect(readdirSync(join(directory('shop'), 'releases'))).toEqual(['1'])
      expect(programsOf(panel)).toHaveLength(1)
    },
  )

  test('deploys static files without trusted tenants', async () => {
    const { panel, alice, app, deploy, directory } = await withAlice({})
    const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
    const { id } = await app('docs', 'static', { domain_id: domain.id })
    await deploy(id, { 'index.html': 'hello' })
    expect(await occurred(panel)).toEqual(deployed)
    expect(existsSync(join(directory('docs'), 'current/index.html'))).toBe(true)
    const program = await app('shop', 'node', node)
    expect(problem(await deploy(program.id, { 'app.js': '' }))).toEqual([409, 'not-configured'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('uses up an upload that is complete', async () => {
    const { panel, alice, path, app } = await withAlice({})
    const { id } = await app()
    const uploads = `/accounts/${alice.id}/uploads`
    const { body: begun } = await panel.post(uploads, { size: 10 })
    const half = await panel.post(`${path}/${id}/deploy`, { upload_id: begun.id })
    expect(problem(half)).toEqual([409, 'incomplete'])
    const unknown = await panel.post(`${path}/${id}/deploy`, { upload_id: id })
    expect(problem(unknown)).toEqual([400, 'validation', 'upload_id'])
    const upload_id = await uploaded(panel, alice.id, archive({ 'index.html': 'hello' }))
    const both = await panel.post(`${path}/${id}/deploy`, { upload_id, ref: 'main' })
    expect(problem(both)).toEqual([400, 'validation', 'ref'])
    expect(await occurred(panel)).toEqual(nothing)
    await panel.post(`${path}/${id}/deploy`, { upload_id })
    expect(await occurred(panel)).toEqual(deployed)
    expect((await panel.get(uploads)).body.items.map((one: { id: string }) => one.id)).toEqual([begun.id])
  })

  test("keeps the app's number of releases, and lists them all", async () => {
    const { panel, path, app, live, releases, directory } = await withAlice({})
    const { id } = await app('docs', 'static', { keep_releases: 2 })
    for (const text of ['1', '2', '3']) await live(id, { 'index.html': text })
    const all = await releases(id)
    expect(all.map(({ number, status }) => `${number} ${status}`)).toEqual(['1 pruned', '2 superseded', '3 live'])
    expect(readdirSync(join(directory('docs'), 'releases')).sort()).toEqual(['2', '3'])
    const back = await panel.post(`${path}/${id}/rollback`, { release_id: all[0].id })
    expect(problem(back)).toEqual([409, 'release-unavailable'])
    const again = await panel.post(`${path}/${id}/rollback`, { release_id: all[2].id })
    expect(problem(again)).toEqual([409, 'release-unavailable'])
  })

  test('cannot run twice at once, and can be cancelled', async () => {
    const { panel, path, app, deploy, releases, directory } = await withAlice()
    const { id } = await app('shop', 'node', { ...node, build: 'sleep 61' })
    const { body } = await deploy(id, { 'app.js': program('v1') })
    await eventually(() => processesWith('sleep\x0061').length).toBeGreaterThan(0)
    expect((await panel.get(`${path}/${id}`)).body.deploying_release_id).toBe(body.release.id)
    expect((await releases(id))[0].status).toBe('building')
    for (const reply of [
      await deploy(id, { 'app.js': program('v2') }),
      await panel.patch(`${path}/${id}`, { health_path: '/x' }),
    ])
      expect(problem(reply)).toEqual([409, 'busy'])
    expect((await panel.post(`/jobs/${body.job_id}/cancel`)).status).toBe(202)
    expect(await occurred(panel)).toEqual({ events: ['app.deploy_started'], jobs: ['app.deploy cancelled'] })
    expect(await releases(id)).toMatchObject([{ number: 1, status: 'cancelled' }])
    expect(processesWith('sleep\x0061')).toEqual([])
    expect(existsSync(join(directory('shop'), 'releases/1'))).toBe(false)
    expect((await panel.get(`${path}/${id}`)).body).not.toHaveProperty('deploying_release_id')
  })

  test('ends with the app', async () => {
    const { panel, path, app, deploy } = await withAlice()
    const { id } = await app('shop', 'node', { ...node, build: 'sleep 62' })
    await deploy(id, { 'app.js': program('v1') })
    await eventually(() => processesWith('sleep\x0062').length).toBeGreaterThan(0)
    expect((await panel.delete(`${path}/${id}`)).status).toBe(202)
    expect(await occurred(panel)).toEqual({
      events: ['app.deploy_started', 'app.deleted', 'job.completed'],
      jobs: ['app.deploy cancelled', 'app.delete succeeded'],
    })
    expect(processesWith('sleep\x0062')).toEqual([])
    expect(problem(await panel.get(`${path}/${id}`))).toEqual([404, 'not-found'])
  })
})

describe('rollback', { timeout: 60_000 }, () => {
  test('activates the old release with the current environment', async () => {
    const { panel, path, app, live, socket, releases } = await withAlice()
    const { id } = await app('shop', 'node', node)
    const answer = 'return response.end(__TEXT__ + (process.env.MODE ?? ""))'
    for (const text of ['v1', 'v2', 'v3']) {
      await live(id, { 'app.js': program('', answer.replace('__TEXT__', JSON.stringify(text))) })
      await panel.clock.advance(1000)
    }
    await panel.patch(`${path}/${id}/env`, { set: [{ name: 'MODE', value: ' today' }] })
    await occurred(panel)
    const rolledBack = { events: ['app.rolled_back', 'job.completed'], jobs: ['app.rollback succeeded'] }
    const back = await panel.post(`${path}/${id}/rollback`)
    expect([back.status, back.body.release.number]).toEqual([202, 2])
    expect(await occurred(panel)).toEqual(rolledBack)
    expect(await ask(socket(id))).toEqual({ status: 200, text: 'v2 today' })
    await panel.clock.advance(1000)
    expect((await panel.post(`${path}/${id}/rollback`)).body.release.number).toBe(3)
    expect(await occurred(panel)).toEqual(rolledBack)
    expect(await ask(socket(id))).toEqual({ status: 200, text: 'v3 today' })
    const all = await releases(id)
    expect(all.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'live'])
    await panel.post(`${path}/${id}/rollback`, { release_id: all[0].id })
    expect(await occurred(panel)).toEqual(rolledBack)
    expect(await ask(socket(id))).toEqual({ status: 200, text: 'v1 today' })
  })

  test('leaves the live release when a rollback finds the old one unhealthy', async () => {
    const { panel, path, app, live, socket, releases } = await withAlice()
    const { id } = await app('shop', 'node', { ...node, health_timeout_s: 1 })
    await live(id, { 'app.js': program('v1', 'if (process.env.NEW) response.statusCode = 500') })
    await live(id, 'v2')
    await panel.patch(`${path}/${id}/env`, { set: [{ name: 'NEW', value: '1' }] })
    await occurred(panel)
    await panel.post(`${path}/${id}/rollback`)
    expect(await occurred(panel)).toEqual({
      events: ['app.rolled_back', 'job.failed'],
      jobs: ['app.rollback failed'],
    })
    expect(await ask(socket(id))).toEqual({ status: 200, text: 'v2' })
    expect((await releases(id)).map(({ status }) => status)).toEqual(['superseded', 'live'])
  })
})
