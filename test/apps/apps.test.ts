import { describe, expect, test } from 'vitest'
import { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'
import { FailingDriver } from '../drivers.ts'
import { withAlice } from './fixtures.ts'

describe('apps', () => {
  test('creates, shows, lists and deletes apps', async () => {
    const { panel, create, path, show } = await withAlice({})
    const made = await create('shop')
    const { id } = made.body.app
    expect([made.status, made.body.app]).toEqual([
      202,
      {
        id,
        name: 'shop',
        kind: 'static',
        domain_ids: [],
        listen: 'socket',
        root: '.',
        build_timeout_s: 900,
        health_path: '/',
        health_timeout_s: 30,
        keep_releases: 5,
        running: true,
        status: 'new',
        created_at: panel.clock.now(),
        updated_at: panel.clock.now(),
      },
    ])
    expect(await occurred(panel)).toEqual({
      events: ['app.created', 'job.completed'],
      jobs: ['app.apply succeeded'],
    })
    expect((await panel.get(path)).body.items).toEqual([await show(id)])
    const gone = await panel.delete(`${path}/${id}`)
    expect([gone.status, gone.body.app.status]).toEqual([202, 'deleting'])
    expect((await panel.delete(`${path}/${id}`)).body.job_id).toBe(gone.body.job_id)
    expect(await occurred(panel)).toEqual({
      events: ['app.deleted', 'job.completed'],
      jobs: ['app.delete succeeded'],
    })
    expect(problem(await panel.get(`${path}/${id}`))).toEqual([404, 'not-found'])
    expect((await create('shop')).status).toBe(202)
  })

  test('refuses changes of an app that is being deleted', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    await panel.delete(`${path}/${id}`)
    for (const reply of [
      await panel.patch(`${path}/${id}`, { running: false }),
      await panel.patch(`${path}/${id}/env`, { set: [] }),
      await panel.post(`${path}/${id}/deploy-key`),
      await panel.post(`${path}/${id}/start`),
      await panel.post(`${path}/${id}/stop`),
      await panel.post(`${path}/${id}/restart`),
    ])
      expect(problem(reply)).toEqual([409, 'busy'])
  })

  test('requires a unique name for each app of an account', async () => {
    const { panel, app, create } = await withAlice({})
    await app('shop')
    expect(problem(await create('shop', 'node'))).toEqual([409, 'exists', 'name'])
    const bob = await panel.account('bob')
    expect((await panel.post(`/accounts/${bob.id}/apps`, { name: 'shop', kind: 'php' })).status).toBe(202)
  })

  test('limits apps to the number in the package, or to 50', async () => {
    const { panel, alice, app, create } = await withAlice({})
    await app('first')
    const plan = (await panel.post('/packages', { name: 'small', max_apps: 1 })).body
    expect(plan.max_apps).toBe(1)
    await panel.put(`/accounts/${alice.id}/package`, { package_id: plan.id })
    await occurred(panel)
    expect(problem(await create('second'))).toEqual([409, 'limit-reached', 'max_apps'])
    expect(await occurred(panel)).toEqual(nothing)
    await panel.patch(`/packages/${plan.id}`, { max_apps: null })
    for (let n = 2; n <= 50; n++) expect((await create(`app-${n}`)).status).toBe(202)
    expect(problem(await create('one-more'))).toEqual([409, 'limit-reached', 'max_apps'])
  })

  test('hides apps from another account', async () => {
    const { panel, app } = await withAlice({})
    const bob = await panel.account('bob')
    const { id } = await app()
    const path = `/accounts/${bob.id}/apps/${id}`
    for (const reply of [await panel.get(path), await panel.delete(path), await panel.post(`${path}/deploy`)])
      expect(problem(reply)).toEqual([404, 'not-found'])
  })

  test('removes apps that never reach the host, and shows their domains as before', async () => {
    let failing: FailingDriver | undefined
    const driver = (root: string) => {
      failing = new FailingDriver(root, 0)
      return failing
    }
    const { panel, alice, create, path } = await withAlice({ driver })
    const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
    failing!.failures = 3
    await create('shop', 'static', { domain_id: domain.id })
    await exhaust(panel)
    expect(await occurred(panel)).toEqual({ events: ['app.created', 'job.failed'], jobs: ['app.apply failed'] })
    expect((await panel.get(path)).body.items).toEqual([])
    expect((await panel.get(`/accounts/${alice.id}/domains/${domain.id}`)).body).toMatchObject({ handler: 'php' })
  })

  test('finds apps by name, even several of one name', async () => {
    const { panel, alice, app } = await withAlice({})
    const { id } = await app('shop')
    const bob = await panel.account('bob')
    const { body } = await panel.post(`/accounts/${bob.id}/apps`, { name: 'shop', kind: 'php' })
    const found = (await panel.get('/lookup?name=shop&kind=app')).body.items
    expect(found.map((one: { id: string }) => one.id)).toEqual([id, body.app.id])
    const own = (await panel.get(`/accounts/${alice.id}/lookup?prefix=sh&kind=app`)).body.items
    expect(own).toEqual([{ kind: 'app', id, name: 'shop', account_id: alice.id, username: 'alice' }])
  })

  test('refuses to start or roll back an app before its first deploy', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    for (const verb of ['start', 'stop', 'restart', 'rollback'])
      expect(problem(await panel.post(`${path}/${id}/${verb}`))).toEqual([409, 'release-unavailable'])
    expect(problem(await panel.post(`${path}/${id}/deploy`))).toEqual([409, 'not-configured'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('stores apps without deploying them on a server that runs no code of accounts', async () => {
    const { panel, app, path } = await withAlice({})
    const git_url = 'https://git.example/shop.git'
    for (const [name, kind, fields] of [
      ['a', 'node', {}],
      ['b', 'python', { start: 'python app.py' }],
      ['c', 'static', { build: 'make' }],
      ['d', 'php', { install: 'composer install' }],
    ] as const) {
      const { id } = await app(name, kind, { git_url, ...fields })
      expect(problem(await panel.post(`${path}/${id}/deploy`))).toEqual([409, 'not-configured'])
    }
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('refuses a deploy while the account is suspended', async () => {
    const { panel, alice, app, path } = await withAlice()
    const { id } = await app('shop', 'static', { git_url: 'https://git.example/shop.git' })
    await panel.post(`/accounts/${alice.id}/suspend`)
    await occurred(panel)
    expect(problem(await panel.post(`${path}/${id}/deploy`))).toEqual([409, 'suspended'])
    expect(await occurred(panel)).toEqual(nothing)
  })
})

describe('deploy key', () => {
  test('creates a deploy key for a repository over ssh, and replaces it on request', async () => {
    const { panel, app, path } = await withAlice({})
    const made = await app('shop', 'static', { git_url: 'git@git.example:shop.git' })
    expect(made.deploy_key).toMatch(/^ssh-ed25519 [A-Za-z0-9+/]{68} alice-shop@host\.example$/)
    const rotated = await panel.post(`${path}/${made.id}/deploy-key`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.deploy_key).not.toBe(made.deploy_key)
    const other = await app('other')
    expect(other).not.toHaveProperty('deploy_key')
    const moved = await panel.patch(`${path}/${other.id}`, { git_url: 'ssh://git@git.example/other' })
    expect(moved.body.app.deploy_key).toMatch(/^ssh-ed25519 /)
  })
})
