import { describe, expect, test } from 'vitest'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { withAlice } from './fixtures.ts'

const hostile: readonly (readonly [string, unknown])[] = [
  ['git_url', 'file:///etc'],
  ['git_url', '/etc'],
  ['git_url', 'ext::sh -c id'],
  ['git_url', 'http://h/x'],
  ['git_url', 'git://h/x'],
  ['git_url', '--upload-pack=touch /tmp/p'],
  ['git_url', 'ssh://-oProxyCommand=x/y'],
  ['git_url', 'ssh://-oProxyCommand=x@h/y'],
  ['git_url', '-oX=y:z'],
  ['git_url', 'u@-oX:z'],
  ['git_url', 'u@h:-z'],
  ['git_url', 'https://user:password@h/x'],
  ['git_url', 'https://user@h/x'],
  ['git_url', 'https://h/-x'],
  ['git_url', 'https://h/a b'],
  ['git_url', 'https://h/a\nb'],
  ['git_url', 'https://h/a\\b'],
  ['git_url', 'https://h/a::b'],
  ['git_url', 'https://h'],
  ['git_url', 'https:///x'],
  ['git_url', 'ssh://h:70000/x'],
  ['git_url', `https://h/${'a'.repeat(2048)}`],
  ['git_branch', '--upload-pack=x'],
  ['git_branch', 'a..b'],
  ['git_branch', 'a b'],
  ['git_branch', 'a'.repeat(251)],
  ['git_username', 'a\nb'],
  ['git_password', 'a\nb'],
  ['listen', '127.0.0.1'],
  ['root', '../etc'],
  ['root', 'a/../../etc'],
  ['root', '/etc'],
  ['root', 'a//b'],
  ['root', ''],
  ['install', 'a\nb'],
  ['build', 'a\0b'],
  ['build', 'ü'.repeat(1025)],
  ['build_timeout_s', 9],
  ['build_timeout_s', 3601],
  ['health_path', 'healthz'],
  ['health_path', '//evil.example'],
  ['health_path', '/a b'],
  ['health_path', '/a\r\nHost: b'],
  ['health_timeout_s', 0],
  ['health_timeout_s', 301],
  ['keep_releases', 0],
  ['keep_releases', 21],
  ['running', 'yes'],
]

describe('settings of an app', () => {
  test('refuses invalid settings by field, and stores nothing of the request', async () => {
    const { panel, create, app, path } = await withAlice({})
    const { id } = await app('kept', 'node')
    for (const [field, value] of hostile) {
      const what = `${field} ${JSON.stringify(value)}`
      const replies = [
        await create('shop', 'node', { [field]: value }),
        await panel.patch(`${path}/${id}`, { [field]: value }),
      ]
      for (const reply of replies) expect([what, ...problem(reply)]).toEqual([what, 400, 'validation', field])
    }
    expect(await occurred(panel)).toEqual(nothing)
    expect((await panel.get(path)).body.items).toHaveLength(1)
  })

  test.each([
    'https://git.example/shop.git',
    'https://git.example:8443/group/shop',
    'ssh://git@git.example/shop.git',
    'ssh://git.example:2222/shop.git',
    'git@git.example:group/shop.git',
    'git@git.example:/srv/shop.git',
  ])('accepts the repository %s', async (git_url) => {
    const { app } = await withAlice({})
    const made = await app('shop', 'static', { git_url })
    expect(made.git_url).toBe(git_url)
    expect(made.deploy_key === undefined).toBe(git_url.startsWith('https:'))
  })

  test.each([
    ['static', { start: 'node .' }],
    ['php', { start: 'php -S' }],
    ['python', {}],
  ])('refuses settings of a %s app with %j', async (kind, fields) => {
    const { panel, create } = await withAlice({})
    expect(problem(await create('shop', kind, fields))).toEqual([400, 'validation', 'start'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('requires a start command for a Python app', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app('shop', 'python', { start: 'python app.py' })
    expect(problem(await panel.patch(`${path}/${id}`, { start: null }))).toEqual([400, 'validation', 'start'])
  })

  test.each(['Shop', '1shop', 'shop_1', 'a'.repeat(32), '../shop', ''])('refuses the app name %j', async (name) => {
    const { panel, create } = await withAlice({})
    expect(problem(await create(name))).toEqual([400, 'validation', 'name'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('shows where the live release is served from', async () => {
    const { panel, app, path, live, show } = await withAlice({})
    const { id } = await app('docs')
    await live(id, { 'public/index.html': 'hello', 'web/index.html': 'hello' })
    expect((await show(id)).root).toBe('public')
    await panel.patch(`${path}/${id}`, { root: 'web' })
    expect((await show(id)).root).toBe('web')
  })

  test('resets settings to their defaults', async () => {
    const { panel, app, path } = await withAlice({})
    const set = {
      git_url: 'https://git.example/shop.git',
      git_branch: 'main',
      git_username: 'deploy',
      listen: 'port',
      root: 'web',
      install: 'npm install',
      build: 'npm run build',
      start: 'node server.js',
      build_timeout_s: 60,
      health_path: '/healthz',
      health_timeout_s: 5,
      keep_releases: 2,
      running: false,
    }
    const made = await app('shop', 'node', { ...set, git_password: 'canary-Wren-1' })
    expect(made).toMatchObject(set)
    const cleared = Object.fromEntries([...Object.keys(set), 'git_password', 'host_key'].map((name) => [name, null]))
    const reply = await panel.patch(`${path}/${made.id}`, cleared)
    expect(reply.status).toBe(202)
    expect(reply.body.app).toEqual({
      id: made.id,
      name: 'shop',
      kind: 'node',
      domain_ids: [],
      listen: 'socket',
      root: '.',
      build_timeout_s: 900,
      health_path: '/',
      health_timeout_s: 30,
      keep_releases: 5,
      running: true,
      status: 'new',
      created_at: made.created_at,
      updated_at: panel.clock.now(),
    })
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['app.apply succeeded'] })
  })
})
