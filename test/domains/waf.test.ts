import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FailingDriver } from '../drivers.ts'
import { host, nothing, occurred, problem, withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['domain.update succeeded'] }

async function withDomain() {
  const input = await withAlice()
  const { id } = await input.domain('shop.example')
  const path = `${input.path}/${id}`
  return {
    ...input,
    ...{ id, domainPath: path, exceptions: `${path}/waf/exceptions` },
    change: (waf: unknown) => input.panel.patch(path, { waf }),
    vhost: () => host(input.panel).vhost('shop.example'),
  }
}

describe('the firewall of a site', () => {
  test('blocks, watches or rests, and names its site to the rules', async () => {
    const { panel, change, vhost, id, domainPath } = await withDomain()
    expect(vhost()).not.toContain('modsecurity')
    expect((await panel.get(domainPath)).body).not.toHaveProperty('waf')
    const blocked = await change({ mode: 'block', paranoia: 2 })
    expect([blocked.status, blocked.body.domain.waf]).toEqual([202, { mode: 'block', paranoia: 2 }])
    expect(await occurred(panel)).toEqual(applied)
    expect(vhost()).toContain(`  modsecurity_transaction_id "${id}:$request_id";\n`)
    expect(vhost()).toContain('    SecRuleEngine On\n')
    expect(vhost()).toContain('setvar:tx.paranoia_level=2"\n')
    expect((await change({ mode: 'watch' })).body.domain.waf).toEqual({ mode: 'watch', paranoia: 2 })
    await panel.settle()
    expect(vhost()).toContain('    SecRuleEngine DetectionOnly\n')
    expect((await change({ mode: 'off', paranoia: null })).body.domain.waf).toEqual({ mode: 'off', paranoia: 1 })
    await panel.settle()
    expect(vhost()).not.toContain('modsecurity')
    expect((await change(null)).body.domain).not.toHaveProperty('waf')
  })

  test('counts bodies before it reads them, on the way to a site that listens for nginx alone', async () => {
    const { panel, change, vhost } = await withDomain()
    await change({ mode: 'block' })
    await panel.settle()
    const [front, inner] = vhost().split('  listen unix:/run/panel-preview/waf.sock;')
    expect(front!.indexOf('error_page 490 = @panel_body;')).toBeGreaterThan(0)
    expect(front).toContain('    limit_conn panel_body_uploads 20;')
    expect(front!.match(/modsecurity on;/g)).toHaveLength(1)
    expect(inner).toContain('    fastcgi_param HTTPS $http_x_panel_https if_not_empty;')
    expect(inner!.match(/modsecurity on;/g)).toHaveLength(1)
    expect(inner).not.toContain('@panel_body')
  })

  test.each([
    ['a mode', { mode: 'ask' }],
    ['a number', { paranoia: 4 }],
    ['rules of its own', { mode: 'block', rules: 'SecRuleEngine Off' }],
  ])('is refused with %s that it has not', async (_what, waf) => {
    const { panel, change } = await withDomain()
    expect((await change(waf)).status).toBe(400)
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('is not configured where it was not set up', async () => {
    const driver = (root: string) =>
      Object.defineProperty(new FailingDriver(root, 0), 'features', { value: ['apache'] })
    const { panel, domain, path } = await withAlice({ debian: true, driver })
    const { id } = await domain('shop.example')
    expect(problem(await panel.patch(`${path}/${id}`, { waf: { mode: 'watch' } }))).toEqual([
      409,
      'not-configured',
      'waf',
    ])
    expect((await panel.patch(`${path}/${id}`, { waf: { mode: 'off' } })).status).toBe(202)
  })

  test('watches by default where it was set up, and follows the setting', async () => {
    const driver = (root: string) => Object.defineProperty(new FailingDriver(root, 0), 'features', { value: ['waf'] })
    const { panel, domain, path } = await withAlice({ debian: true, driver })
    const { id } = await domain('shop.example')
    expect((await panel.get(`${path}/${id}`)).body.waf).toEqual({ mode: 'watch', paranoia: 1 })
    expect(host(panel).vhost('shop.example')).toContain('SecRuleEngine DetectionOnly')
    await panel.patch('/settings', { waf_default: 'block' })
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['host.apply succeeded'] })
    expect((await panel.get(`${path}/${id}`)).body.waf).toEqual({ mode: 'block', paranoia: 1 })
    expect(host(panel).vhost('shop.example')).toContain('SecRuleEngine On')
  })

  test('needs its feature', async () => {
    const { panel, change, exceptions, alice } = await withDomain()
    await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { waf: false } })
    await occurred(panel)
    expect(problem(await change({ mode: 'block' }))).toEqual([403, 'feature-disabled'])
    expect(problem(await panel.post(exceptions, { rule_id: 941_100 }))).toEqual([403, 'feature-disabled'])
  })
})

describe('exceptions of the firewall', () => {
  test('are added, applied, listed and deleted', async () => {
    const { panel, change, exceptions, vhost, id } = await withDomain()
    await change({ mode: 'block' })
    await occurred(panel)
    const made = await panel.post(exceptions, { rule_id: 941_100, path: '/wp-admin/post.php', parameter: 'content' })
    expect([made.status, made.body.exception]).toEqual([
      202,
      {
        ...{ id: made.body.exception.id, domain_id: id, rule_id: 941_100 },
        ...{ path: '/wp-admin/post.php', parameter: 'content', created_at: panel.clock.now() },
      },
    ])
    expect(await occurred(panel)).toEqual(applied)
    const rule =
      'SecRule REQUEST_FILENAME "@rx ^/wp-admin/post[.]php(?:/|$)" "id:20001,phase:1,pass,nolog,t:none,ctl:ruleRemoveTargetById=941100;ARGS:content"'
    expect(vhost()).toContain(rule)
    expect((await panel.get(exceptions)).body.items).toEqual([made.body.exception])
    await panel.post(exceptions, { rule_id: 942_100 })
    await panel.settle()
    expect(vhost()).toContain('SecAction "id:20002,phase:1,pass,nolog,t:none,ctl:ruleRemoveById=942100"')
    // What is set of the site itself leaves them.
    await change({ paranoia: 3 })
    await panel.settle()
    expect(vhost()).toContain(rule)
    panel.forget()
    expect((await panel.delete(`${exceptions}/${made.body.exception.id}`)).status).toBe(202)
    expect(await occurred(panel)).toEqual(applied)
    expect(vhost()).not.toContain(rule)
    expect(problem(await panel.delete(`${exceptions}/${made.body.exception.id}`))).toEqual([404, 'not-found'])
  })

  test.each([
    ['a rule that counts what was found', { rule_id: 949_110 }, 'rule_id'],
    ['a rule of setup', { rule_id: 10_001 }, 'rule_id'],
    ['text', { rule_id: '941100;SecRuleEngine Off' }, 'rule_id'],
    ['a path that ends the rule', { rule_id: 941_100, path: '/a" "id:1' }, 'path'],
    ['a path of two lines', { rule_id: 941_100, path: '/a\nSecRuleEngine Off' }, 'path'],
    ['a parameter that ends the rule', { rule_id: 941_100, parameter: "a'; }" }, 'parameter'],
    ['a parameter that names another target', { rule_id: 941_100, parameter: 'a,ctl:ruleEngine=Off' }, 'parameter'],
  ])('are refused for %s', async (_what, body, field) => {
    const { panel, exceptions } = await withDomain()
    expect(problem(await panel.post(exceptions, body))).toEqual([400, 'validation', field])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('are distinct, and at most a hundred', async () => {
    const { panel, exceptions } = await withDomain()
    expect((await panel.post(exceptions, { rule_id: 941_100 })).status).toBe(202)
    expect(problem(await panel.post(exceptions, { rule_id: 941_100 }))).toEqual([409, 'exists'])
    for (let n = 1; n < 100; n++)
      expect((await panel.post(exceptions, { rule_id: 941_100, path: `/${n}` })).status).toBe(202)
    expect(problem(await panel.post(exceptions, { rule_id: 942_100 }))).toEqual([409, 'too-many'])
  })

  test('of an alias are those of the site that it shows', async () => {
    const { panel, path, domain, exceptions, id } = await withDomain()
    const alias = await domain('shop.test', { kind: 'parked', parent_id: id })
    await panel.post(exceptions, { rule_id: 941_100 })
    const listed = (await panel.get(`${path}/${alias.id}/waf/exceptions`)).body.items
    expect(listed.map((one: { rule_id: number; domain_id: string }) => [one.rule_id, one.domain_id])).toEqual([
      [941_100, alias.id],
    ])
    expect(problem(await panel.post(`${path}/${alias.id}/waf/exceptions`, { rule_id: 941_100 }))).toEqual([
      ...[400, 'validation', 'rule_id'],
    ])
  })
})

describe('what the firewall found', () => {
  const lineOf = (site: string, ruleId: string, uri: string) =>
    `${JSON.stringify({
      transaction: {
        ...{ client_ip: '203.0.113.9', time_stamp: new Date().toString(), unique_id: `${site}:1` },
        ...{ request: { uri }, response: { http_code: 403 }, producer: { secrules_engine: 'Enabled' } },
        messages: [{ message: 'XSS', details: { ruleId } }],
      },
    })}\n`

  test('is listed by its domain, in pages', async () => {
    const { panel, domain, path, id, domainPath } = await withDomain()
    const other = await domain('other.example')
    const log = host(panel).path('var/log/panel/waf.log')
    mkdirSync(dirname(log), { recursive: true })
    writeFileSync(log, lineOf(id, '941100', '/a?b') + lineOf(other.id, '942100', '/c') + lineOf(id, '942100', '/d'))
    const at = expect.any(Number)
    const row = { at, address: '203.0.113.9', message: 'XSS', action: 'blocked' }
    expect((await panel.get(`${domainPath}/waf/hits`)).body).toEqual({
      ...{
        items: [
          { ...row, path: '/d', rule_id: 942_100 },
          { ...row, path: '/a', rule_id: 941_100 },
        ],
        more: false,
      },
    })
    const first = (await panel.get(`${domainPath}/waf/hits?limit=1`)).body
    expect([first.items.length, first.more]).toEqual([1, true])
    const second = (await panel.get(`${domainPath}/waf/hits?limit=1&after=${first.next}`)).body
    expect([second.items.map((one: { path: string }) => one.path), second.more]).toEqual([['/a'], false])
    expect((await panel.get(`${domainPath}/waf/hits?rule_id=942100`)).body.items).toHaveLength(1)
    expect((await panel.get(`${path}/${other.id}/waf/hits`)).body.items).toEqual([
      { ...row, path: '/c', rule_id: 942_100 },
    ])
    for (const wrong of ['rule_id=1', 'after=x', 'limit=0'])
      expect((await panel.get(`${domainPath}/waf/hits?${wrong}`)).status).toBe(400)
  })
})
