import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { endOfLifeNotices } from '../../src/areas/domains/php-notices.ts'
import type { Json } from '../harness.ts'
import { host, nothing, occurred, problem, withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['domain.update succeeded'] }

async function withShop() {
  const world = await withAlice()
  const { panel, domain, path } = world
  const { id } = await domain('shop.example')
  const files = () =>
    readdirSync(host(panel).path('etc/panel/php'))
      .map((name) => [name, readFileSync(host(panel).path(`etc/panel/php/${name}`), 'utf8')] as const)
      .sort()
  return {
    ...world,
    id,
    change: (body: object) => panel.patch(`${path}/${id}`, body),
    /** The masters' configurations, by version. */
    masters: (): Record<string, string> =>
      Object.fromEntries(files().map(([name, text]) => [name.split('-')[0], text])),
    socket: (name: string) => /fastcgi_pass unix:(\S+\d-[0-9a-f]{12}\/\w+\.sock);/.exec(host(panel).vhost(name))?.[1],
  }
}

describe('the version of PHP of a domain', () => {
  test('is its own, else that of the main domain, else the default', async () => {
    const { panel, path, named, id, change, masters, socket } = await withShop()
    const effective = async (name: string) => (await named(name)).effective_php_version
    expect([await effective('alice.example'), await effective('shop.example')]).toEqual(['8.4', '8.4'])
    expect(Object.keys(masters())).toEqual(['8.4'])
    const { body } = await change({ php_version: '8.1' })
    expect(body.domain).toMatchObject({ php_version: '8.1', effective_php_version: '8.1' })
    expect(await occurred(panel)).toEqual(applied)
    expect(Object.keys(masters())).toEqual(['8.1', '8.4'])
    expect([socket('shop.example')!.includes('/8.1-'), socket('alice.example')!.includes('/8.4-')]).toEqual([
      true,
      true,
    ])
    for (const [version, text] of Object.entries(masters()))
      expect(text).toContain(`listen = ${socket(version === '8.1' ? 'shop.example' : 'alice.example')}\n`)
    const { id: main } = await named('alice.example')
    await panel.patch(`${path}/${main}`, { php_version: '8.2' })
    await change({ php_version: null })
    await panel.settle()
    expect(await named('shop.example')).toMatchObject({ effective_php_version: '8.2' })
    expect(await named('shop.example')).not.toHaveProperty('php_version')
    expect(Object.keys(masters())).toEqual(['8.2'])
    expect(readFileSync(host(panel).path('var/lib/panel-php/alice'), 'utf8')).toBe('8.2\n')
    expect(id).toBeDefined()
  })

  test('must be installed, and is not for a parked domain', async () => {
    const { panel, path, ask, change, domain, named } = await withShop()
    panel.forget()
    const missing = await change({ php_version: '7.4' })
    expect([problem(missing), missing.body.fields.php_version]).toEqual([
      [400, 'validation', 'php_version'],
      'is not installed; installed: 8.1, 8.2, 8.4',
    ])
    expect(problem(await change({ php_version: '8' }))).toEqual([400, 'validation', 'php_version'])
    expect(problem(await ask('new.example', { php_version: '7.4' }))).toEqual([400, 'validation', 'php_version'])
    expect(await occurred(panel)).toEqual(nothing)
    const parked = await domain('alice.test', { kind: 'parked' })
    expect(problem(await panel.patch(`${path}/${parked.id}`, { php_version: '8.1' }))).toEqual([
      400,
      'validation',
      'php_version',
    ])
    expect(problem(await panel.patch(`${path}/${parked.id}`, { php: {} }))).toEqual([400, 'validation', 'php'])
    expect(problem(await ask('b.test', { kind: 'parked', php_version: '8.1' }))).toEqual([
      400,
      'validation',
      'php_version',
    ])
    const { id } = await named('alice.example')
    await panel.patch(`${path}/${id}`, { php_version: '8.1' })
    expect(await named('alice.test')).toMatchObject({ php_version: '8.1', effective_php_version: '8.1' })
    expect(await domain('new.example', { php_version: '8.2' })).toMatchObject({ effective_php_version: '8.2' })
  })

  test('follows the setting, which must be installed too, and applies to all accounts', async () => {
    const { panel, named, masters } = await withShop()
    expect((await panel.get('/settings')).body).toMatchObject({ default_php_version: null, site_idle_minutes: 10 })
    const wrong = await panel.patch('/settings', { default_php_version: '7.4' })
    expect([wrong.status, wrong.body.fields]).toEqual([
      400,
      { default_php_version: 'is not installed; installed: 8.1, 8.2, 8.4' },
    ])
    await panel.settle()
    panel.forget()
    expect((await panel.patch('/settings', { default_php_version: '8.1', site_idle_minutes: 3 })).status).toBe(200)
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['host.apply succeeded'] })
    expect(await named('shop.example')).toMatchObject({ effective_php_version: '8.1' })
    expect(Object.keys(masters())).toEqual(['8.1'])
    expect(masters()['8.1']).toMatch(/^; panel ends it after 3 idle minutes\n/)
    for (const minutes of [-1, 1441])
      expect(problem(await panel.patch('/settings', { site_idle_minutes: minutes }))).toEqual([
        400,
        'validation',
        'site_idle_minutes',
      ])
  })

  test('is shown with the host', async () => {
    const { panel } = await withShop()
    const { machine } = (await panel.get('/host')).body
    expect(
      machine.php.map(({ version, default: isDefault, end_of_life }: Json) => [version, isDefault, end_of_life]),
    ).toEqual([
      ['8.1', false, '2025-12-31'],
      ['8.2', false, '2026-12-31'],
      ['8.4', true, '2028-12-31'],
    ])
    expect(machine.php[0].extensions).toContain('imagick')
  })
})

describe('the settings of PHP of a domain', () => {
  test('are merged, and give it a pool of its own', async () => {
    const { panel, change, masters, socket } = await withShop()
    const first = await change({ php: { memory_limit_mb: 256, upload_max_mb: 300, extensions: ['imagick'] } })
    expect(first.body.domain.php).toEqual({ memory_limit_mb: 256, upload_max_mb: 300, extensions: ['imagick'] })
    await panel.settle()
    const pool = masters()['8.4']!.split('[shop.example]\n')[1]!
    for (const line of [
      `listen = ${socket('shop.example')}`,
      'pm.max_children = 10',
      'php_value[memory_limit] = 256M',
      'php_value[upload_max_filesize] = 300M',
      'php_value[post_max_size] = 301M',
      'php_admin_value[extension] = imagick',
    ])
      expect(pool.split('\n')).toContain(line)
    expect(host(panel).vhost('shop.example')).toContain('client_max_body_size 301m;')
    expect(host(panel).vhost('alice.example')).toContain('client_max_body_size 65m;')
    const second = await change({ php: { memory_limit_mb: null, max_execution_s: 120 } })
    expect(second.body.domain.php).toEqual({ upload_max_mb: 300, extensions: ['imagick'], max_execution_s: 120 })
    await panel.settle()
    expect(host(panel).vhost('shop.example')).toContain('fastcgi_read_timeout 150s;')
    expect((await change({ php: null })).body.domain).not.toHaveProperty('php')
    await panel.settle()
    expect(masters()['8.4']).not.toContain('[shop.example]')
    expect(socket('shop.example')).toBe(socket('alice.example'))
  })

  test.each<[string, Json]>([
    ['memory_limit_mb', 513],
    ['memory_limit_mb', 15],
    ['max_execution_s', 301],
    ['upload_max_mb', 1025],
    ['post_max_mb', 64],
    ['post_max_mb', 1026],
    ['max_input_vars', 99],
    ['display_errors', 'yes'],
    ['extensions', ['nothing_known']],
    ['extensions', ['a\nb']],
    ['auto_prepend_file', '/x'],
  ])('a bad %s is refused with the field php, and changes nothing', async (name, value) => {
    const { panel, change, masters } = await withShop()
    const before = masters()
    const reply = await change({ php: { [name]: value } })
    expect(problem(reply)).toEqual([400, 'validation', 'php'])
    expect(reply.body.fields.php).toContain(name)
    expect(await occurred(panel)).toEqual(nothing)
    expect(masters()).toEqual(before)
  })

  test('are bounded by the package when they are set, and when they are applied', async () => {
    const { panel, change, masters } = await withShop()
    const [plan] = (await panel.get('/packages')).body.items
    await panel.patch(`/packages/${plan.id}`, {
      php_memory_max_mb: 1024,
      php_execution_max_s: 600,
      php_upload_max_mb: 2000,
    })
    await panel.settle()
    expect((await change({ php: { memory_limit_mb: 1024, max_execution_s: 600, upload_max_mb: 2000 } })).status).toBe(
      202,
    )
    await panel.settle()
    expect(masters()['8.4']).toContain('request_terminate_timeout = 600s')
    await panel.patch(`/packages/${plan.id}`, {
      php_memory_max_mb: 200,
      php_execution_max_s: null,
      php_upload_max_mb: 100,
    })
    await panel.settle()
    const pool = masters()['8.4']!.split('[shop.example]\n')[1]
    for (const line of [
      'php_value[memory_limit] = 200M',
      'php_value[max_execution_time] = 300',
      'php_value[post_max_size] = 101M',
    ])
      expect(pool).toContain(`${line}\n`)
    expect(host(panel).vhost('shop.example')).toContain('client_max_body_size 101m;')
    expect(problem(await change({ php: { memory_limit_mb: 201 } }))).toEqual([400, 'validation', 'php'])
    expect((await panel.get(`/packages/${plan.id}`)).body).toMatchObject({ php_memory_max_mb: 200 })
  })

  test('share the processes of the account, of which each pool has one', async () => {
    const { panel, alice, domain, path, masters, change } = await withShop()
    await panel.patch(`/accounts/${alice.id}`, { php_max_children: 5 })
    await change({ php: { opcache: false }, php_version: '8.1' })
    const other = await domain('blog.example')
    await panel.patch(`${path}/${other.id}`, { php: { display_errors: true } })
    await panel.settle()
    const shares = () =>
      Object.values(masters()).flatMap((text) =>
        [...text.matchAll(/^pm\.max_children = (\d+)$/gm)].map(([, n]) => Number(n)),
      )
    expect(shares().sort()).toEqual([1, 2, 2])
    expect(masters()['8.1']).toContain('php_flag[opcache.enable] = off\n')
    await panel.patch(`/accounts/${alice.id}`, { php_max_children: 2 })
    await panel.settle()
    expect(shares()).toEqual([1, 1, 1])
  })

  test('an account without scripts has no master, but a version for its commands', async () => {
    const { panel, named, path, change, masters } = await withShop()
    await change({ handler: 'static' })
    await panel.patch(`${path}/${(await named('alice.example')).id}`, { handler: 'static' })
    await panel.settle()
    expect(masters()).toEqual({})
    expect(readFileSync(host(panel).path('var/lib/panel-php/alice'), 'utf8')).toBe('8.4\n')
  })
})

describe('a version that gets no more fixes', () => {
  test('is a notice about the account, once for each version', async () => {
    const { panel, alice, change } = await withShop()
    await change({ php_version: '8.1' })
    await panel.settle()
    const notices = async () => {
      const { items } = (await panel.get('/notices?kind=php-end-of-life')).body
      return items.map(({ object, object_id, severity, detail }: Json) => [
        object,
        object_id,
        severity,
        /\d\.\d/.exec(detail)?.[0],
      ])
    }
    expect(await notices()).toEqual([['account', alice.id, 'warn', '8.1']])
    const dismissal = { kind: 'php-end-of-life', object_id: alice.id }
    expect((await panel.post(`/accounts/${alice.id}/notices/dismiss`, dismissal)).status).toBe(204)
    expect(await notices()).toEqual([])
    await change({ php_version: '8.2' })
    await panel.settle()
    const at = (date: string) =>
      endOfLifeNotices({ db: panel.store.db, now: Date.parse(date), runtime: panel.panel.runtime }, { limit: 10 })
    expect(at('2026-12-31')).toEqual([])
    expect(at('2027-01-01').map(({ detail }) => detail)).toEqual([expect.stringContaining('PHP 8.2 ')])
  })
})

describe('a backup', () => {
  test('keeps versions and settings, and is not restored where a version is missing', async () => {
    const { panel, alice, change, named } = await withShop()
    await change({ php_version: '8.1', php: { memory_limit_mb: 256 } })
    await panel.settle()
    const { backup } = (await panel.post(`/accounts/${alice.id}/backups`, {})).body
    await panel.settle()
    await change({ php_version: null, php: null })
    await panel.settle()
    expect((await panel.post(`/accounts/${alice.id}/backups/${backup.id}/restore`, { parts: ['config'] })).status).toBe(
      202,
    )
    await panel.settle()
    expect(await named('shop.example')).toMatchObject({ php_version: '8.1', php: { memory_limit_mb: 256 } })
    await panel.store.change(() => panel.store.sqlite.exec("DELETE FROM php_versions WHERE version = '8.1'"))
    panel.forget()
    const refused = await panel.post(`/backups/${backup.id}/restore`, { username: 'anna', domain: 'anna.example' })
    expect([refused.status, refused.code, refused.body.detail]).toEqual([
      409,
      'not-configured',
      'PHP 8.1 is not installed on local: panel host setup --php 8.1',
    ])
    const { job_id } = (await panel.post(`/accounts/${alice.id}/backups/${backup.id}/restore`, { parts: ['config'] }))
      .body
    await panel.settle()
    const { job } = (await panel.get(`/jobs/${job_id}`)).body
    expect([job.status, job.error]).toEqual(['failed', expect.stringContaining('PHP 8.1 is not installed on local')])
  })
})
