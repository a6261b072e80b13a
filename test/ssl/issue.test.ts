import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../jobs/fixtures.ts'
import { answersOf, withAuthority } from './authority.ts'
import { expectDeclared, host, problem } from './fixtures.ts'
import { certificate } from './openssl.ts'
import { hasPebble, Pebble } from './pebble.ts'

const issued = { events: ['ssl.installed', 'job.completed'], jobs: ['ssl.issue succeeded'] }
const refused = { events: ['job.failed'], jobs: ['ssl.issue failed'] }

describe.skipIf(!hasPebble)('certificates from the ACME server pebble', () => {
  let pebble: Pebble
  beforeAll(async () => {
    pebble = await Pebble.start()
  })
  afterAll(() => pebble.stop())

  /** Its name is verified: that an order verifies one is for `test/domains`. */
  async function withShop() {
    const input = await withAuthority(pebble)
    await input.panel.verify(input.alice.id)
    return input
  }

  test('validates a certificate with a file below the site, and replaces the self-signed one on the host', async () => {
    const { panel, alice, issue, used, ended, autossl } = await withShop()
    const before = await used()
    const steps = listen(panel, 'ssl.issue')
    const reply = await issue()
    expect([reply.status, reply.body.domain.certificate.id]).toEqual([202, before.id])
    expect(problem(await issue())).toEqual([409, 'busy'])
    expect(await ended()).toEqual(issued)
    expect(steps).toEqual(['order', 'prove', 'install'])
    const after = await used()
    expect(after).toMatchObject({
      kind: 'acme',
      domains: ['shop.example', 'www.shop.example'],
      uncovered: [],
      key_type: 'ec-p256',
      status: 'valid',
      trusted: false,
    })
    const written = readFileSync(host(panel).path('etc/panel/tls/shop.example.crt'), 'utf8')
    const onHost = new X509Certificate(written.slice(written.indexOf('-----')))
    expect(onHost.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(after.fingerprint_sha256)
    expect(answersOf(panel)).toEqual([])
    expect(await autossl()).toEqual({ enabled: false, challenge: 'http-01', last_attempt_at: expect.any(Number) })
    expect(await expectDeclared(panel)).toEqual(['ssl.installed'])
    const [event] = (await panel.get(`/accounts/${alice.id}/events?type=ssl.installed`)).body.items
    expect(event.data).toMatchObject({
      object: 'certificate',
      object_id: after.id,
      details: { domains: after.domains, not_after: after.not_after },
    })
    const all = [await panel.get('/events'), await panel.get('/jobs'), await panel.get('/audit')]
    expect(JSON.stringify([reply.body, after, all.map(({ body }) => body), panel.logged])).not.toContain('PRIVATE')
  })

  test('leaves www out if it cannot be validated, unless it was requested', async () => {
    const { panel, alice, issue, used, ended, autossl } = await withShop()
    const { serve } = pebble
    pebble.serve = (path, name) => (name.startsWith('www.') ? undefined : serve(path, name))
    const named = await issue({ names: ['shop.example', 'www.shop.example'] })
    const before = await used()
    expect(await ended()).toEqual(refused)
    expect(await used()).toEqual(before)
    expect((await autossl()).last_error).toMatch(/^www\.shop\.example could not be validated: /)
    expect((await panel.get(`/jobs/${named.body.job_id}`)).body.job.error).toBe((await autossl()).last_error)
    const { job_id } = (await issue({ key_type: 'rsa-2048' })).body
    expect(await ended()).toEqual(issued)
    expect(await used()).toMatchObject({
      domains: ['shop.example'],
      uncovered: ['www.shop.example'],
      key_type: 'rsa-2048',
    })
    expect((await panel.get(`/accounts/${alice.id}/jobs/${job_id}`)).body.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringMatching(/^www\.shop\.example is left out: /) }),
    )
    expect((await autossl()).last_error).toBeUndefined()
  })

  test('validates a wildcard with hidden records, which it removes afterwards', async () => {
    const { panel, alice, shop, issue, used, ended, seen } = await withShop()
    const zone = `/accounts/${alice.id}/dns/zones/${shop.zone_id}`
    const before = (await panel.get(zone)).body
    const records = (await panel.get(`${zone}/records`)).body.items
    expect(problem(await issue({ names: ['shop.example', '*.shop.example'], challenge: 'http-01' }))).toEqual([
      400,
      'validation',
      'challenge',
    ])
    expect((await issue({ names: ['shop.example', '*.shop.example'] })).status).toBe(202)
    expect(await ended()).toEqual(issued)
    expect(await used()).toMatchObject({ kind: 'acme', domains: ['shop.example', '*.shop.example'] })
    expect(seen.filter((line, at) => seen.indexOf(line) === at)).toHaveLength(2)
    expect(answersOf(panel)).toEqual([])
    const after = (await panel.get(zone)).body
    expect(after.serial).toBeGreaterThan(before.serial)
    expect(after.applied_serial).toBe(after.serial)
    expect((await panel.get(`${zone}/records`)).body.items).toEqual(records)
    expect((await panel.get(`${zone}/export`)).body.zone_file).not.toContain('_acme')
  })

  test('fails next to a CNAME, and leaves the zone and the certificate unchanged', async () => {
    const { panel, alice, shop, issue, used, ended, autossl } = await withShop()
    const zone = `/accounts/${alice.id}/dns/zones/${shop.zone_id}`
    await panel.post(`${zone}/records`, { name: '_acme-challenge', type: 'CNAME', value: 'elsewhere.example' })
    await panel.settle()
    panel.forget()
    const before = [await used(), (await panel.get(zone)).body.serial]
    await issue({ challenge: 'dns-01' })
    expect(await ended()).toEqual(refused)
    expect([await used(), (await panel.get(zone)).body.serial]).toEqual(before)
    expect((await autossl()).last_error).toMatch(/_acme-challenge\.shop\.example has a CNAME record/)
  })

  test('leaves nothing of the order behind if the domain is deleted meanwhile', async () => {
    const { panel, path, shop, issue, ended } = await withShop()
    const { serve } = pebble
    let isRequested = false
    pebble.serve = async (requests, name) => {
      if (!isRequested) await panel.delete(`${path}/${shop.id}`)
      isRequested = true
      return serve(requests, name)
    }
    await issue()
    const { jobs } = await ended()
    expect([isRequested, jobs]).toEqual([true, ['ssl.issue failed', 'domain.delete succeeded']])
    expect(answersOf(panel)).toEqual([])
    expect(host(panel).has('etc/panel/tls/shop.example.crt')).toBe(false)
  })

  test('does not bring back an account that is terminated meanwhile', async () => {
    const { panel, alice, issue, ended } = await withShop()
    const { serve } = pebble
    let isRequested = false
    pebble.serve = async (requests, name) => {
      if (!isRequested) await panel.delete(`/accounts/${alice.id}?confirm=alice`)
      isRequested = true
      return serve(requests, name)
    }
    await issue()
    const { jobs } = await ended()
    expect([isRequested, jobs]).toEqual([true, ['ssl.issue failed', 'account.terminate succeeded']])
    expect(answersOf(panel)).toEqual([])
    expect(host(panel).has('etc/panel/nginx/sites/shop.example.conf')).toBe(false)
  })

  test('leaves the previous certificate if the host cannot install the new one', async () => {
    const { panel, issue, used, ended, install, refuse } = await withShop()
    const own = certificate({ from: '20250101000000Z', to: '20991231000000Z' })
    await install(own)
    await ended()
    const former = await used()
    refuse(({ accounts }) => !JSON.stringify(accounts).includes(JSON.stringify(own.certificate).slice(1, -1)))
    await issue()
    expect(await ended()).toEqual(refused)
    expect([former.kind, await used()]).toEqual(['custom', former])
    expect(answersOf(panel)).toEqual([])
  })

  test('replaces self-signed certificates automatically, and renews them with a third of their lifetime left', async () => {
    const { panel, alice, path, shop, used, ended, autossl, issue } = await withShop()
    await panel.patch('/settings', { autossl_default: true })
    await panel.put(`${path}/${(await panel.get(path)).body.items[0].id}/autossl`, { enabled: false })
    await issue({ names: ['shop.example', 'blog.shop.example'] })
    expect(await ended()).toEqual(issued)
    const first = await used()
    const third = Math.floor((first.not_after - first.not_before) / 3)
    panel.clock.jump(first.not_after - third - panel.clock.now() - 150_000)
    await panel.clock.advance(60_000)
    // The other domain's self-signed one is renewed by then too.
    expect(await ended()).toEqual({ events: ['job.completed'], jobs: ['account.update succeeded'] })
    await panel.clock.advance(60_000)
    expect(await ended()).toEqual({ events: [], jobs: [] })
    await panel.clock.advance(60_000)
    // The authority's certificates use real time, so it would be renewed again.
    await panel.patch('/settings', { autossl_default: false })
    expect(await ended()).toEqual(issued)
    const [job] = (await panel.get(`/accounts/${alice.id}/jobs?kind=ssl.issue`)).body.items
    expect((await panel.get(`/jobs/${job.id}`)).body.job.payload).toMatchObject({ names: first.domains.join() })
    const second = await used()
    expect(second).toMatchObject({ kind: 'acme', domains: first.domains })
    expect(second.id).not.toBe(first.id)
    expect(await autossl()).toMatchObject({ last_attempt_at: expect.any(Number) })
    expect((await panel.get(`${path}/${shop.id}`)).body.certificate.id).toBe(second.id)
  })
})
