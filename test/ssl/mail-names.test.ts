import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { day, minute } from '../../src/shared/time.ts'
import { withAuthority } from './authority.ts'
import { host } from './fixtures.ts'
import { hasPebble, Pebble } from './pebble.ts'

const address = '192.0.2.2'
const served = ['shop.example', 'www.shop.example']

describe.skipIf(!hasPebble)('names for mail', () => {
  let pebble: Pebble
  beforeAll(async () => {
    pebble = await Pebble.start()
  })
  afterAll(() => pebble.stop())

  /** The names of the world that lead somewhere. */
  async function withNames(world: Record<string, string[]>, isVerified = true) {
    const input = await withAuthority(pebble, { lookups: { addresses: async (name) => world[name] ?? [] } })
    const { panel, alice, issue, ended, used } = input
    if (isVerified) await panel.verify(alice.id)
    const order = async (body: object = {}) => {
      await issue(body)
      await ended()
      return (await used()).domains as string[]
    }
    return { ...input, order, files: host(panel) }
  }

  test('that lead here are in the certificate, and the mail servers and nginx show it', async () => {
    const world = {
      'mail.shop.example': [address],
      'autoconfig.shop.example': [address],
      'autodiscover.shop.example': [address],
    }
    const { panel, alice, used, order, files } = await withNames(world)
    expect(await order()).toEqual([...served, ...Object.keys(world)])
    expect((await used()).uncovered).toEqual([])
    expect(files.has('etc/panel/mail/names.d/alice')).toBe(true)
    const text = files.vhost('shop.example')
    expect(text).toContain('  server_name mail.shop.example autoconfig.shop.example autodiscover.shop.example;')
    expect(text).toContain('X-Panel-Host mail.shop.example;')
    const path = `/accounts/${alice.id}/email/accounts`
    const info = { address: 'info@shop.example', password: 'canary-Plover-1', quota_mb: 10 }
    const created = await panel.post(path, info)
    expect(created.status, JSON.stringify(created.body)).toBe(202)
    const settings = await panel.get(`${path}/${created.body.mailbox.id}/client-config`)
    expect(settings.body.incoming[0].host).toBe('mail.shop.example')
  })

  test('include that of a policy, which may be enforced once all of them are proven', async () => {
    const names = ['mail', 'autoconfig', 'autodiscover', 'mta-sts'].map((label) => `${label}.shop.example`)
    const { panel, alice, shop, path, used, ended, order } = await withNames(
      Object.fromEntries(names.map((one) => [one, [address]])),
    )
    expect(await order()).toEqual([...served, ...names.slice(0, 3)])
    const at = `/accounts/${alice.id}/email/domains/${shop.id}/mta-sts`
    expect((await panel.put(at, { mode: 'enforce' })).status).toBe(409)
    panel.clock.jump(minute)
    expect((await panel.put(at, { mode: 'testing' })).status).toBe(202)
    expect((await panel.put(`${path}/${shop.id}/autossl`, { enabled: true })).status).toBe(200)
    await panel.clock.advance(60 * minute)
    await ended()
    expect((await used()).domains).toEqual([...served, ...names])
    expect((await panel.put(at, { mode: 'enforce' })).status).toBe(202)
    expect((await panel.get(at)).body).toMatchObject({ mode: 'enforce', proven: true, max_age: 604_800 })
  })

  test('that lead elsewhere, cannot be proven or are domains are left out', async () => {
    const world = {
      'mail.shop.example': ['203.0.113.9'],
      'autoconfig.shop.example': [address, '203.0.113.9'],
      'autodiscover.shop.example': [address],
    }
    const { domain, order, files } = await withNames(world)
    const { serve } = pebble
    pebble.serve = (path, name) => (name.startsWith('autodiscover.') ? undefined : serve(path, name))
    expect(await order()).toEqual(served)
    expect(files.has('etc/panel/mail/names.d/alice')).toBe(false)
    expect(files.vhost('shop.example')).toContain('X-Panel-Host host.example;')
    await domain('autodiscover.shop.example', { handler: 'static' })
    expect(files.vhost('shop.example')).toContain('  server_name mail.shop.example autoconfig.shop.example;')
  })

  test('are added once the domain is verified, and are not taken for names that were chosen', async () => {
    const world: Record<string, string[]> = { 'mail.shop.example': [address] }
    const { panel, path, shop, order, used, ended } = await withNames(world, false)
    expect(await order({ names: served })).toEqual(served)
    expect((await panel.put(`${path}/${shop.id}/autossl`, { enabled: true })).status).toBe(200)
    panel.clock.jump(8 * day)
    await panel.clock.advance(10 * minute)
    await ended()
    expect((await used()).domains).toEqual([...served, 'mail.shop.example'])
  })
})
