import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accepted, nothing, occurred, problem, withZone, zoneOf } from './fixtures.ts'

test('an addon domain adds a zone and removes it', async () => {
  const { panel, alice, ask, path, named } = await withZone()
  accepted(await ask('shop.example'))
  expect(await occurred(panel)).toEqual({
    events: ['domain.created', 'dns.zone.created', 'job.completed'],
    jobs: ['domain.create succeeded'],
  })
  const shop = await zoneOf(panel, alice.id, 'shop.example')
  expect(shop.file('shop.example')).toContain('@ IN A 192.0.2.2\n')
  expect((await named('shop.example')).zone_id).toBe((await shop.show()).id)
  accepted(await panel.delete(`${path}/${(await named('shop.example')).id}`))
  expect(await occurred(panel)).toEqual({
    events: ['dns.zone.deleted', 'domain.deleted', 'job.completed'],
    jobs: ['domain.delete succeeded'],
  })
  expect(existsSync(join(panel.dir, 'host/etc/bind/panel/zones/shop.example.zone'))).toBe(false)
})

test("a subdomain has its address in its parent's zone", async () => {
  const { panel, add, ask, path, find, named, show } = await withZone()
  accepted(await ask('*.alice.example'))
  expect(await occurred(panel)).toMatchObject({ events: ['domain.created', 'dns.record.created', 'job.completed'] })
  expect(await find('*', 'A')).toMatchObject({ value: '192.0.2.2', managed: true })
  expect((await named('*.alice.example')).zone_id).toBe((await show()).id)
  accepted(await panel.delete(`${path}/${(await named('*.alice.example')).id}`))
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.deleted', 'domain.deleted', 'job.completed'] })
  accepted(await add('blog', 'CNAME', 'x.example'))
  await occurred(panel)
  accepted(await ask('blog.alice.example'))
  expect(await occurred(panel)).toMatchObject({ events: ['domain.created', 'job.completed'] })
})

test('a zone is deleted and created again', async () => {
  const { panel, zone, zones, show, named } = await withZone()
  const { domain_id } = await show()
  accepted(await panel.delete(zone))
  expect(await occurred(panel)).toEqual({
    events: ['dns.zone.deleted', 'job.completed'],
    jobs: ['dns.zone.delete succeeded'],
  })
  expect((await named('alice.example')).zone_id).toBeUndefined()
  expect(readdirSync(join(panel.dir, 'host/etc/bind/panel/zones'))).toEqual([])
  accepted(await panel.post(zones, { domain_id }))
  expect(await occurred(panel)).toEqual({
    events: ['dns.zone.created', 'job.completed'],
    jobs: ['dns.zone.create succeeded'],
  })
  expect(problem(await panel.post(zones, { domain_id }))).toEqual([409, 'exists', 'domain_id'])
  expect(problem(await panel.post(zones, { domain_id: zone.split('/').at(-1) }))).toEqual([
    400,
    'validation',
    'domain_id',
  ])
})

test('the timers of a zone must be consistent', async () => {
  const { panel, zone, show } = await withZone()
  const { serial } = await show()
  for (const [body, field] of [
    [{ ttl: 59 }, 'ttl'],
    [{ refresh: 299 }, 'refresh'],
    [{ retry: 3601 }, 'retry'],
    [{ expire: 86_399 }, 'expire'],
    [{ refresh: 86_400, expire: 86_400 }, 'expire'],
    [{ minimum: 86_401 }, 'minimum'],
  ] as const)
    expect(problem(await panel.patch(zone, body))).toEqual([400, 'validation', field])
  expect(await occurred(panel)).toEqual(nothing)
  expect(accepted(await panel.patch(zone, { ttl: 300, serial })).zone).toMatchObject({ ttl: 300, serial: serial + 1 })
  await occurred(panel)
  expect(accepted(await panel.patch(zone, { ttl: 300 })).zone.serial).toBe(serial + 1)
  expect(await occurred(panel)).toMatchObject({ events: ['job.completed'] })
})

test('a reset restores the template and the subdomains', async () => {
  const { panel, add, ask, zone, records, show } = await withZone()
  accepted(await ask('blog.alice.example'))
  accepted(await add('own', 'TXT', 'x'))
  await occurred(panel)
  const before = await show()
  accepted(await panel.post(`${zone}/reset`))
  expect(await occurred(panel)).toEqual({
    events: ['dns.zone.reset', 'job.completed'],
    jobs: ['dns.zone.reset succeeded'],
  })
  expect((await show()).serial).toBe(before.serial + 1)
  const names = (await records()).map(({ name }) => name)
  expect(names).toContain('blog')
  expect(names).not.toContain('own')
})

test('a renamed main domain renames its zone', async () => {
  const { panel, add, alice, ask, zone, records, show, file } = await withZone()
  accepted(await ask('blog.alice.example'))
  accepted(await add('own', 'TXT', 'x'))
  accepted(await panel.post(`${zone}/dnssec`))
  await occurred(panel)
  const before = await show()
  accepted(await panel.patch(`/accounts/${alice.id}`, { domain: 'alicia.example' }))
  expect(await occurred(panel)).toMatchObject({ events: ['account.domain_changed', 'job.completed'] })
  const after = await show()
  expect(after).toMatchObject({ id: before.id, name: 'alicia.example', dnssec: false })
  expect(after.serial).toBeGreaterThan(before.serial)
  expect(after.applied_serial).toBe(after.serial)
  const all = (await records()).map(({ name, type, value, managed }) => `${name} ${type} ${value} ${managed}`)
  expect(all).toContain('own TXT x false')
  expect(all).toContain('blog A 192.0.2.2 true')
  expect(all).toContain('@ MX mail.alicia.example true')
  expect(file('alicia.example')).toContain('$ORIGIN alicia.example.\n')
})

test('DNSSEC returns what the registrar needs', async () => {
  const { panel, zone, show } = await withZone()
  const before = await show()
  expect((await panel.get(`${zone}/dnssec`)).body).toEqual({ enabled: false, ds: [] })
  const { dnssec } = accepted(await panel.post(`${zone}/dnssec`))
  const rdata = Buffer.concat([Buffer.from([1, 1, 3, 13]), Buffer.from(dnssec.dnskey.split(' ')[3], 'base64')])
  const owner = Buffer.from('\x05alice\x07example\0', 'latin1')
  const digest = createHash('sha256').update(owner).update(rdata).digest('hex').toUpperCase()
  expect(dnssec.ds).toEqual([
    {
      key_tag: dnssec.ds[0].key_tag,
      algorithm: 13,
      digest_type: 2,
      digest,
      record: `alice.example. IN DS ${dnssec.ds[0].key_tag} 13 2 ${digest}`,
    },
  ])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['dns.zone.update succeeded'] })
  expect(accepted(await panel.post(`${zone}/dnssec`)).dnssec).toEqual(dnssec)
  expect(problem(await panel.delete(zone))).toEqual([409, 'in-use'])
  await panel.settle()
  const keys = join(panel.dir, 'host/var/lib/bind/panel/keys/alice.example')
  const stem = `Kalice.example.+013+${String(dnssec.ds[0].key_tag).padStart(5, '0')}`
  expect(readdirSync(keys).sort()).toEqual(['key', 'private', 'state'].map((end) => `${stem}.${end}`))
  expect(accepted(await panel.delete(`${zone}/dnssec`)).dnssec).toEqual({ enabled: false, ds: [] })
  await panel.settle()
  expect(readdirSync(keys)).toEqual([])
  expect((await show()).serial).toBeGreaterThan(before.serial + 1000)
  expect(accepted(await panel.post(`${zone}/dnssec`)).dnssec.dnskey).not.toBe(dnssec.dnskey)
})

test('a zone that is created again continues the old serial, however the old zone was deleted', async () => {
  const { panel, zone, zones, show } = await withZone()
  const { domain_id } = await show()
  accepted(await panel.post(`${zone}/dnssec`))
  accepted(await panel.delete(`${zone}/dnssec`))
  await panel.settle()
  const raised = (await show()).serial
  accepted(await panel.delete(zone))
  const { serial } = accepted(await panel.post(zones, { domain_id })).zone
  expect(serial).toBe(raised + 1)
  await panel.settle()
  const alice = zones.split('/')[2]
  await panel.delete(`/accounts/${alice}?confirm=alice`)
  await panel.settle()
  const again = await panel.account('alice')
  const made = (await panel.get(`/accounts/${again.id}/dns/zones`)).body.items[0]
  expect([made.name, made.serial]).toEqual(['alice.example', serial + 1])
})
