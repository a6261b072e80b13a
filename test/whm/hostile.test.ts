import { describe, expect, test } from 'vitest'
import { functions } from '../../src/whm/table.ts'
import { turns } from '../clock.ts'
import { PausedDriver } from '../drivers.ts'
import { startPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { billing, Front, startFront } from './front.ts'

const denied = {
  cpanelresult: {
    apiversion: '2',
    error: 'Access denied',
    data: { reason: 'Access denied', result: '0' },
    type: 'text',
  },
}

describe('bad token', () => {
  test.each([
    [''],
    ['WHM root:'],
    ['WHM root'],
    ['WHM root:pnl_0000000000000000000000000000000000000000'],
    ['Basic cm9vdDpzZWNyZXQ='],
    ['Basic !!!'],
    ['whm'],
    ['Bearer nonsense'],
  ])('answers 403 with the same body to %j', async (authorization) => {
    const front = await startFront()
    for (const name of [...functions.keys(), '', 'nonsense', 'cpanel']) {
      const { status, body } = await front.send(name, { authorization })
      expect([status, body], name).toEqual([403, denied])
    }
    expect(front.panel.events()).toEqual([])
  })

  test('answers 403 to a good token as Bearer, of an account, from elsewhere, revoked, expired, of a suspended reseller', async () => {
    const front = await startFront()
    const { panel } = front
    const alice = await panel.account('alice')
    const rita = await panel.account('rita')
    const ask = async (authorization: string) => (await front.send('version', { authorization })).status
    expect(await ask(`WHM root:${front.token}`)).toBe(200)
    expect(await ask(`Bearer ${front.token}`)).toBe(403)
    expect(await ask(`WHM alice:${await panel.token(['full-access'], { account: alice.id })}`)).toBe(403)
    expect(await ask(`WHM root:${await panel.token(billing, { allowed_ips: ['198.51.100.1'] })}`)).toBe(403)
    const expiring = await panel.token(billing, { expires_at: panel.clock.now() + 60_000 })
    expect(await ask(`WHM root:${expiring}`)).toBe(200)
    await panel.clock.advance(60_000)
    expect(await ask(`WHM root:${expiring}`)).toBe(403)
    const token = await resellerToken(panel, rita.id, ['list-accts'])
    expect(await ask(`WHM rita:${token}`)).toBe(200)
    await panel.post(`/resellers/${rita.id}/suspend`, {})
    expect(await ask(`WHM rita:${token}`)).toBe(403)
  })

  test.each([['whm root:TOKEN'], ['WHM  root:TOKEN'], ['WHM nobody:TOKEN'], ['BASIC']])('accepts %j', async (form) => {
    const front = await startFront()
    const basic = `Basic ${Buffer.from(`root:${front.token}`).toString('base64')}`
    const authorization = form === 'BASIC' ? basic : form.replace('TOKEN', front.token)
    expect((await front.send('version', { authorization })).status).toBe(200)
  })
})

describe('paths and methods', () => {
  test('a session path is ignored; an unknown function is a failure; nothing else is served', async () => {
    const front = await startFront()
    expect((await front.send('', { path: '/cpsess0123456789/json-api/version' })).body).toEqual({
      version: '11.110.0.1',
    })
    expect((await front.send('')).body).toEqual({})
    expect((await front.send('x', { query: { 'api.version': '1' } })).body.metadata.reason).toBe(
      'Unknown app (“x”) requested for this version (1) of the API.',
    )
    expect((await front.send('cpanel')).body).toEqual(denied)
    for (const path of ['/xml-api/version', '/', '/api/v1/accounts', '/cpsessx/json-api/version'])
      expect((await front.send('', { path })).status, path).toBe(404)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await front.send('version', { method })).status, method).toBe(405)
    expect((await front.panel.get('https://host.example:7711/json-api/version')).status).toBe(404)
  })

  test('HEAD executes nothing', async () => {
    const front = await startFront()
    const { panel } = front
    const request = new Request('https://host.example:2087/json-api/createacct?username=bob&domain=bob.example', {
      method: 'HEAD',
      headers: { Authorization: `WHM root:${front.token}` },
    })
    expect((await panel.panel.whm.fetch(request, { address: '192.0.2.1' })).status).toBe(405)
    expect(panel.events()).toEqual([])
  })
})

describe('parameters', () => {
  test('the body overrides the query, the last value the first, and the version is the final one', async () => {
    const front = await startFront()
    await front.panel.account('alice')
    await front.panel.account('bob')
    const user = async (query: string, form?: Record<string, string>) =>
      (await front.send('accountsummary', { query, ...(form ? { form } : {}) })).body.acct?.[0]?.user
    expect(await user('user=alice&user=bob')).toBe('bob')
    expect(await user('user=alice', { user: 'bob' })).toBe('bob')
    for (const [query, version] of [
      ['api.version=1&api.version=0', 0],
      ['api.version=', 0],
      ['api.version=-1', 0],
      ['api.version=abc', 0],
      ['api.version=99999999999999999999', 1],
      ['api.version=2', 1],
    ] as const)
      expect('metadata' in (await front.send('accountsummary', { query })).body, query).toBe(version === 1)
  })

  test.each([
    ['{"user":{"a":1}}'],
    ['{"__proto__":"x"}'],
    ['{'],
    ['[]'],
    ['%%%'],
    ['user=%00'],
    ['user=<html>'],
    [`user=${'x'.repeat(16_000)}`],
    [Array.from({ length: 2000 }, (_, n) => `p${n}=1`).join('&')],
  ])('a body of %j is refused, never an error', async (body) => {
    const front = await startFront()
    const request = new Request('https://host.example:2087/json-api/accountsummary?api.version=1', {
      method: 'POST',
      headers: { Authorization: `WHM root:${front.token}` },
      body,
    })
    const response = await front.panel.panel.whm.fetch(request, { address: '192.0.2.1' })
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(JSON.parse(text).metadata.result).toBe(0)
    expect(text).not.toContain('<html>')
  })

  test('a body of more than 16 KiB is not read', async () => {
    const front = await startFront()
    const sent = async (size: number) =>
      (await front.send('version', { form: { 'api.version': '1', x: 'x'.repeat(size - 'api.version=1&x='.length) } }))
        .status
    expect([await sent(16 * 1024), await sent(16 * 1024 + 1)]).toEqual([200, 413])
  })

  test.each([['suspendacct'], ['removeacct'], ['passwd'], ['accountsummary'], ['create_user_session']])(
    'requires the parameter user in %s',
    async (name) => {
      const front = await startFront()
      expect(await front.refused(name)).toBe('The parameter “user” is required.')
      expect(front.panel.events()).toEqual([])
    },
  )

  test('an invalid number as a limit fails before anything is created; a refused one is a warning', async () => {
    const front = await startFront()
    const query = { username: 'bob', domain: 'bob.example' }
    expect(await front.refused('createacct', { ...query, quota: 'lots' })).toContain('quota')
    expect(front.panel.events()).toEqual([])
    const { body } = await front.send('createacct', { query: { 'api.version': '1', ...query, quota: '5000000000' } })
    expect(body.metadata).toMatchObject({ result: 1 })
    expect(body.metadata.output.warnings).toHaveLength(1)
    expect(front.panel.events()).toEqual(['account.created', 'job.completed'])
  })

  test.each([
    ['(a+)+$', []],
    ['^al', ['alice']],
    ['^alice$', ['alice']],
    ['.*', ['alice', 'bob']],
    ['ali.*e', ['alice']],
    ['^b.*b$', ['bob']],
    ['lic', ['alice']],
    ['a|b', []],
    ['', ['alice', 'bob']],
  ])('the search %j finds %j', async (search, users) => {
    const front = await startFront()
    await front.panel.account('alice')
    await front.panel.account('bob')
    const rows = (await front.ok('listaccts', { searchtype: 'user', search })).acct
    expect(rows.map(({ user }: { user: string }) => user)).toEqual(users)
  })
})

describe('rights', () => {
  test('a reseller sees and changes only its own accounts', async () => {
    const panel = await startPanel()
    await panel.account('alice')
    const token = await resellerToken(panel, (await panel.account('rita')).id, ['all'])
    const front = new Front(panel, token)
    await front.ok('createacct', { username: 'carol', domain: 'carol.example', owner: 'root' })
    panel.forget()
    expect((await front.ok('listaccts')).acct.map(({ user }: { user: string }) => user)).toEqual(['carol'])
    const reasons = await Promise.all([
      front.refused('accountsummary', { user: 'alice' }),
      front.refused('suspendacct', { user: 'alice' }),
      front.refused('removeacct', { user: 'alice' }),
      front.refused('changepackage', { user: 'alice', pkg: 'default' }),
      front.refused('passwd', { user: 'alice', password: 'correct horse 1' }),
      front.refused('modifyacct', { user: 'alice', contactemail: 'x@y.example' }),
      front.refused('create_user_session', { user: 'alice', service: 'cpaneld' }),
    ])
    for (const reason of reasons) expect(reason).toMatch(/does not exist|Unable to fetch/)
    expect(panel.events()).toEqual([])
  })

  test("a reseller's packages have its name as a prefix, and are found without it", async () => {
    const panel = await startPanel()
    const token = await resellerToken(panel, (await panel.account('rita')).id, ['all'])
    const front = new Front(panel, token)
    expect(await front.ok('addpkg', { name: 'gold', quota: '100' })).toEqual({ pkg: 'rita_gold' })
    expect((await front.ok('getpkginfo', { pkg: 'gold' })).pkg.name).toBe('rita_gold')
    expect(await front.refused('addpkg', { name: 'gold' })).toBe('The package “rita_gold” already exists.')
    await front.ok('editpkg', { name: 'gold', maxpop: '3' })
    await panel.settle()
    expect((await front.ok('listpkgs')).pkg.at(-1)).toMatchObject({ name: 'rita_gold', QUOTA: '100', MAXPOP: '3' })
    await front.ok('killpkg', { pkgname: 'rita_gold' })
    expect(panel.events()).toEqual(['package.created', 'package.updated', 'job.completed', 'package.deleted'])
  })

  test('what is not in the list of functions is denied before any lookup', async () => {
    const front = await startFront(['accounts:read'])
    expect((await front.ok('applist')).app).not.toContain('suspendacct')
    expect(await front.refused('suspendacct', { user: 'nobody' })).toMatch(/^Permission denied: /)
    const panel = front.panel
    const token = await resellerToken(panel, (await panel.account('rita')).id, ['suspend-acct'])
    const rita = new Front(panel, token)
    expect(await rita.refused('createacct', { username: 'bob', domain: 'bob.example' })).toMatch(/^Permission denied: /)
    expect((await rita.send('accountsummary', { query: { user: 'x' } })).body.statusmsg).toMatch(/^Permission denied: /)
  })

  test.each(['server', 'accounts', 'packages'])(
    'a token with only the area %s is offered nothing that it may not do',
    async (area) => {
      const front = await startFront([`${area}:write`])
      await resellerToken(front.panel, (await front.panel.account('rita')).id, [])
      const denied: string[] = []
      for (const name of (await front.ok('applist')).app) {
        const { body } = await front.send(name, { query: { 'api.version': '1', user: 'rita', plan: 'default' } })
        if (/^Permission denied/.test(body.metadata.reason)) denied.push(name)
      }
      expect(denied).toEqual([])
    },
  )

  test('every listed function answers in both formats, whatever it receives', async () => {
    const front = await startFront(['accounts:write', 'packages:write', 'server:write'])
    const { app } = await front.ok('applist')
    expect(app.toSorted()).toEqual([...functions.keys()].toSorted())
    for (const name of app) {
      const [old, current] = [await front.send(name), await front.send(name, { query: { 'api.version': '1' } })]
      expect([old.status, current.status], name).toEqual([200, 200])
      expect([0, 1], name).toContain(current.body.metadata.result)
      expect(current.body.metadata, name).toMatchObject({ command: name, version: 1, reason: expect.any(String) })
      expect(Object.keys(old.body).length, name).toBeGreaterThan(0)
      expect('data' in current.body && current.body.data === null, name).toBe(false)
    }
    expect(front.panel.events()).toEqual([])
  })
})

describe('waiting', () => {
  test('a slow job is answered as accepted, and continues', async () => {
    let driver!: PausedDriver
    const panel = await startPanel({
      driver: (root) => {
        driver = new PausedDriver(root)
        return driver
      },
    })
    const front = new Front(panel, await panel.token(billing))
    panel.forget()
    driver.hold()
    const requests = front.send('createacct', { query: { 'api.version': '1', username: 'bob', domain: 'bob.example' } })
    while (driver.calls.length === 0) await turns()
    await turns()
    await panel.clock.advance(8_000)
    const { body } = await requests
    expect(body.metadata.result).toBe(1)
    expect(body.metadata.output.raw).toMatch(/^Job [0-9A-Z]{26} is still running\.$/)
    driver.release()
    await panel.settle()
    expect(panel.events()).toEqual(['account.created', 'job.completed'])
  })
})

test('no password reaches a log, an event, a job or the audit trail', async () => {
  const front = await startFront()
  const { panel } = front
  const canary = 'canary-5c1f-password'
  const query = { 'api.version': '1', username: 'bob', domain: 'bob.example', password: canary }
  await front.send('createacct', { query })
  await front.send('passwd', { query: { user: 'bob', pass: canary } })
  await front.send('passwd', { query: { user: 'nobody', pass: canary } })
  await front.send(canary, { query })
  expect(panel.logged.join('\n')).not.toContain(canary)
  for (const table of ['events', 'jobs', 'audit'])
    expect(JSON.stringify(panel.store.sqlite.prepare(`SELECT * FROM ${table}`).all())).not.toContain(canary)
})
