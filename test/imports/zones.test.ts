import { expect, test } from 'vitest'
import type { Json, TestPanel } from '../harness.ts'
import { cpmove, filesOf, wordpress } from './archives.ts'
import { imported, panelWith, reportOf } from './panel.ts'

const head = `$TTL 14400
@ 86400 IN SOA ns1.old.example. root.old.example. ( 2026030100 3600 1800 1209600 86400 )
@ IN NS ns1.old.example.
`

const archiveOf = (records: string, more: Readonly<Record<string, string>> = {}): Buffer => {
  const replaced = { 'dnszones/alice.example.db': `${head}${records}`, ...more }
  return cpmove([...wordpress().filter(({ path }) => !Object.hasOwn(replaced, String(path))), ...filesOf(replaced)])
}

const addressOf = async (panel: TestPanel, one: Json): Promise<string> =>
  (await panel.get(`/accounts/${one.account_id}`)).body.ip_address

async function recordsOf(panel: TestPanel, { account_id }: Json): Promise<Json[]> {
  const zones = (await panel.get(`/accounts/${account_id}/dns/zones`)).body.items
  const { id } = zones.find(({ name }: Json) => name === 'alice.example')
  return (await panel.get(`/accounts/${account_id}/dns/zones/${id}/records?per_page=200`)).body.items
}

const at = (records: readonly Json[], name: string, type?: string) =>
  records
    .filter((one) => one.name === name && (type === undefined || one.type === type))
    .map((one) => `${one.type} ${one.value}`)
    .sort()

const lineOf = async (panel: TestPanel, { id }: Json, item: string) =>
  (await reportOf(panel, id)).find((one) => one.part === 'dns' && one.item === item)

test("services of the former server are dropped where they lead to it, and the customer's records replace ours", async () => {
  const { panel, path } = await panelWith({
    'alice.tar.gz': archiveOf(`alice.example. IN A 192.0.2.10
@ MX 10 mx1.elsewhere.example.
@ MX 20 mx2.elsewhere.example.
@ TXT "v=spf1 +a +mx ip4:192.0.2.10 include:spf.elsewhere.example -all"
_dmarc TXT "v=DMARC1; p=reject; rua=mailto:dmarc@elsewhere.example"
www CNAME shops.elsewhere.example.
mail CNAME alice.example.
webmail A 203.0.113.9
cpanel A 192.0.2.10
whm A 192.0.2.10
webdisk CNAME alice.example.
autodiscover CNAME autodiscover.elsewhere.example.
autoconfig A 192.0.2.10
cpcontacts TXT "not an address"
ftp CNAME alice.example.
crm A 203.0.113.50
host A 192.0.2.10
_autodiscover._tcp SRV 0 0 443 cpanelemaildiscovery.old.example.
_caldavs._tcp SRV 0 0 2080 alice.example.
_caldavs._tcp TXT "path=/"
_carddav._tcp TXT "path=/"
_cpanel-dcv-test-record TXT "x"
_acme-challenge TXT "token"
_acme-challenge.www TXT "token"
_sip._tcp SRV 0 0 5060 sip.elsewhere.example.
lab NS ns.elsewhere.example.
@ CAA 0 issue "letsencrypt.org"
bad_name A 203.0.113.1
`),
  })
  const inspected = await panel.post('/imports', { path: path('alice.tar.gz') })
  await panel.settle()
  const before = await lineOf(panel, inspected.body.import, 'alice.example services')
  expect(before).toMatchObject({ outcome: 'changed' })
  for (const label of ['cpanel A', 'whm A', 'webdisk CNAME', 'mail CNAME', 'autoconfig A', '_caldavs._tcp TXT'])
    expect(before.text).toContain(label)
  for (const label of ['www CNAME', 'webmail A', 'autodiscover CNAME', 'cpcontacts TXT', 'lab NS'])
    expect(before.text).not.toContain(label)
  const own = await lineOf(panel, inspected.body.import, 'alice.example')
  for (const label of ['www CNAME', 'webmail A', '@ MX', '_dmarc TXT', 'lab NS']) expect(own.text).toContain(label)
  expect(await lineOf(panel, inspected.body.import, 'alice.example line 31')).toMatchObject({
    outcome: 'not_possible',
    text: expect.stringContaining('bad_name A: name'),
  })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  expect(one.status, one.error).toBe('imported')
  const ip = await addressOf(panel, one)
  const records = await recordsOf(panel, one)
  expect(at(records, '@', 'A')).toEqual([`A ${ip}`])
  expect(at(records, '@', 'MX')).toEqual(['MX mx1.elsewhere.example', 'MX mx2.elsewhere.example'])
  expect(at(records, '@', 'TXT')).toEqual([`TXT v=spf1 +a +mx ip4:${ip} include:spf.elsewhere.example -all`])
  expect(at(records, '_dmarc')).toEqual(['TXT v=DMARC1; p=reject; rua=mailto:dmarc@elsewhere.example'])
  expect(at(records, 'www')).toEqual(['CNAME shops.elsewhere.example'])
  expect(at(records, 'mail')).toEqual([`A ${ip}`])
  expect(at(records, 'webmail')).toEqual(['A 203.0.113.9'])
  expect(at(records, 'autodiscover')).toEqual(['CNAME autodiscover.elsewhere.example'])
  expect(at(records, 'autoconfig')).toEqual([`A ${ip}`])
  expect(at(records, 'cpcontacts')).toEqual(['TXT not an address'])
  expect(at(records, 'ftp')).toEqual(['CNAME alice.example'])
  expect(at(records, 'lab')).toEqual(['NS ns.elsewhere.example'])
  expect(at(records, '_sip._tcp')).toEqual(['SRV sip.elsewhere.example'])
  const dropped = /^(?:cpanel|whm|webdisk|_caldavs\._tcp|_carddav\._tcp|_autodiscover\._tcp|_acme.*|_cpanel.*)$/
  expect(records.filter(({ name }) => dropped.test(name))).toEqual([])
  const managed = (name: string) => records.find((record) => record.name === name && record.type === 'A')?.managed
  expect([managed('@'), managed('mail'), managed('host'), managed('crm')]).toEqual([true, true, true, false])
})

test('what leads to the former server and elsewhere comes whole; mail for the former server gets the name of ours', async () => {
  const { panel, path } = await panelWith({
    'alice.tar.gz': archiveOf(`@ A 192.0.2.10
@ A 203.0.113.7
@ MX 0 alice.example.
@ MX 10 backup.elsewhere.example.
www A 192.0.2.10
www AAAA 2001:db8::7
mail A 192.0.2.10
default._domainkey TXT "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"
`),
  })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  expect(one.status, one.error).toBe('imported')
  const ip = await addressOf(panel, one)
  const records = await recordsOf(panel, one)
  expect(at(records, '@', 'A')).toEqual([`A ${ip}`, 'A 203.0.113.7'].sort())
  expect(at(records, 'www')).toEqual([`A ${ip}`, 'AAAA 2001:db8::7'].sort())
  // The apex leads elsewhere in part: its mail server stays as it is.
  expect(at(records, '@', 'MX')).toEqual(['MX alice.example', 'MX backup.elsewhere.example'])
  expect(at(records, 'default._domainkey')).toHaveLength(1)
  expect(await lineOf(panel, one, 'alice.example default._domainkey')).toMatchObject({
    outcome: 'changed',
    text: expect.stringContaining('30 days'),
    line: 11,
  })
})

test("the former server's mail exchanger becomes ours, alone or beside another", async () => {
  const { panel, path } = await panelWith({
    'one.tar.gz': archiveOf('@ A 192.0.2.10\n@ MX 0 alice.example.\n'),
  })
  const one = await imported(panel, { path: path('one.tar.gz') })
  expect(at(await recordsOf(panel, one), '@', 'MX')).toEqual(['MX mail.alice.example'])
  const other = await panelWith({
    'two.tar.gz': archiveOf('@ A 192.0.2.10\n@ MX 0 mx\nmx A 192.0.2.10\n@ MX 10 backup.elsewhere.example.\n'),
  })
  const two = await imported(other.panel, { path: other.path('two.tar.gz') })
  const records = await recordsOf(other.panel, two)
  expect(at(records, '@', 'MX')).toEqual(['MX backup.elsewhere.example', 'MX mail.alice.example'])
})

test('a zone that lives elsewhere keeps its aliases', async () => {
  const { panel, path } = await panelWith({
    'alice.tar.gz': archiveOf('@ A 203.0.113.7\nwww CNAME alice.example.\nmail CNAME www\n@ MX 0 alice.example.\n'),
  })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  const records = await recordsOf(panel, one)
  expect(at(records, '@', 'A')).toEqual(['A 203.0.113.7'])
  expect(at(records, 'www')).toEqual(['CNAME alice.example'])
  expect(at(records, '@', 'MX')).toEqual(['MX alice.example'])
})

test('dns template takes no record, and the report says which are left out', async () => {
  const { panel, path } = await panelWith({
    'alice.tar.gz': archiveOf('@ A 192.0.2.10\nwww CNAME shops.elsewhere.example.\ncrm A 203.0.113.50\n'),
  })
  const one = await imported(panel, { path: path('alice.tar.gz'), dns: 'template' })
  expect(one.status, one.error).toBe('imported')
  const ip = await addressOf(panel, one)
  const records = await recordsOf(panel, one)
  expect(at(records, 'www')).toEqual([`A ${ip}`])
  expect(at(records, 'crm')).toEqual([])
  expect(await lineOf(panel, one, 'alice.example')).toMatchObject({
    outcome: 'changed',
    text: expect.stringContaining('crm A'),
  })
})

test('map.ips moves a former address to another one, or leaves its records out', async () => {
  const { panel, path } = await panelWith({ 'alice.tar.gz': archiveOf('@ A 192.0.2.10\nhost A 192.0.2.10\n') })
  const moved = await imported(panel, {
    ...{ path: path('alice.tar.gz'), as: 'alicia', domain: 'alice.example' },
    map: { ips: { '192.0.2.10': '203.0.113.77' } },
  })
  expect(moved.status, moved.error).toBe('imported')
  expect(at(await recordsOf(panel, moved), 'host')).toEqual(['A 203.0.113.77'])
  const other = await panelWith({ 'alice.tar.gz': archiveOf('@ A 192.0.2.10\nhost A 192.0.2.10\n') })
  const body = { path: other.path('alice.tar.gz') }
  const bad = await imported(other.panel, { ...body, map: { ips: { '192.0.2.10': 'nowhere' } } })
  expect(bad.status).toBe('blocked')
  const out = await imported(other.panel, { ...body, map: { ips: { '192.0.2.10': null } } })
  expect(out.status, out.error).toBe('imported')
  expect(at(await recordsOf(other.panel, out), 'host')).toEqual([])
  expect(await lineOf(other.panel, out, 'alice.example line 5')).toMatchObject({
    outcome: 'not_possible',
    text: expect.stringContaining('map.ips'),
  })
})
