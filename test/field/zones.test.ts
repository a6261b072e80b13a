import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { parseZoneFile } from '../../src/areas/dns/zone-file/parse.ts'
import { checkZone } from '../../src/host/parts/dns/check.ts'
import { stringsOf, valueOfStrings } from '../../src/shared/zone/strings.ts'
import { accepted, problem, withZone } from '../dns/fixtures.ts'
import { runs } from '../fuzz.ts'
import type { Json } from '../harness.ts'

const dataOf = (items: readonly Json[], name: string, type: string) =>
  items.filter((one) => one.name === name && one.type === type).map(({ value }) => value)

const shapes: readonly [what: string, file: string, created: number, text: readonly (string | RegExp)[]][] = [
  [
    'of a proxy that writes TTL 1',
    'blog 1 IN A 192.0.2.44 ; proxied\nshop 1 IN CNAME blog',
    2,
    ['blog 60 IN A 192.0.2.44'],
  ],
  [
    "with BIND's $TTL of a week",
    '$TTL 604800\none A 192.0.2.1\ntwo 172800 A 192.0.2.2\nthree 30 A 192.0.2.3\nfour 0 A 192.0.2.4',
    4,
    ['one 86400 IN A', 'three 60 IN A', 'four 60 IN A'],
  ],
  [
    'that named wrote',
    '$ORIGIN .\n$TTL 3600\nalice.example IN SOA a. b. (\n 1 2 3 4 5 )\n  NS ns1.old.example.\n  MX 10 mx.old.example.\n$ORIGIN alice.example.\nblog A 192.0.2.61\n$ORIGIN sub.alice.example.\nx A 192.0.2.62',
    3,
    ['@ IN MX 10 mx.old.example.', 'x.sub IN A 192.0.2.62'],
  ],
  ['with an origin above the zone', '$ORIGIN example.\nblog.alice A 192.0.2.1', 1, ['blog IN A 192.0.2.1']],
  [
    'with types that are served',
    [
      '@ HTTPS 1 . alpn="h3,h2" ipv4hint=192.0.2.1 port=8443',
      '_8443._foo.api SVCB 0 svc.other.example.',
      '@ NAPTR 100 10 "u" "E2U+sip" "!^.*$!sip:info@alice.example!" .',
      '@ LOC 52 31 12.5 N 13 24 36 E 34.00m 1m 100m 10m',
      'old DNAME new.example.',
      '_http._tcp URI 10 1 "https://alice.example/path"',
      '00d8d3f11739d2f3537099982b4674c29fc59a8fda350fca1379613a._openpgpkey OPENPGPKEY mQINBFit2ioBEADh ',
      `00d8d3f11739d2f3537099982b4674c29fc59a8fda350fca1379613a._smimecert SMIMEA 3 0 1 ${'ab'.repeat(32)}`,
    ].join('\n'),
    8,
    [
      '@ IN HTTPS 1 . alpn="h3,h2" ipv4hint="192.0.2.1" port="8443"',
      'old IN DNAME new.example.',
      '_http._tcp IN URI 10 1 "https://alice.example/path"',
    ],
  ],
  [
    'with types that are not',
    'a HINFO "PC" "BSD"\nb RP a. b.\nc SPF "v=spf1 -all"\n@ TYPE65534 \\# 5 0D00000001\n@ ZONEMD 1 1 1 ab\nd CH TXT x\ne TXT "\\255"\nnew A 192.0.2.6',
    1,
    ['new IN A'],
  ],
  [
    'with several strings',
    'lp._http._tcp TXT "txtvers=1" "path=/intro" "u=guest"',
    1,
    ['lp._http._tcp IN TXT "txtvers=1" "path=/intro" "u=guest"'],
  ],
  ['with strings cut at 255 bytes', `k TXT "${'a'.repeat(255)}" "b"`, 1, [/^k IN TXT "a{255}" "b"$/m]],
  [
    'with properties of CAA',
    '@ CAA 0 issue "letsencrypt.org; validationmethods=dns-01"\n@ CAA 0 issuevmc "digicert.com"\n@ CAA 0 contactemail "admin@alice.example"\n@ CAA 128 ISSUE ";"',
    4,
    ['@ IN CAA 0 issuevmc "digicert.com"'],
  ],
  [
    'with service instances',
    '_ipp._tcp PTR My\\032Printer._ipp._tcp\nMy\\032Printer._ipp._tcp SRV 0 0 631 printer.other.example.\nMy\\032Printer._ipp._tcp TXT "rp=a" "ty=b"',
    3,
    ['My\\032Printer._ipp._tcp IN SRV 0 0 631', '_ipp._tcp IN PTR My\\032Printer._ipp._tcp.alice.example.'],
  ],
  ['of a classless delegation', '0/26 NS ns1.other.example.\n1 CNAME 1.0/26.2.0.192.in-addr.arpa.', 2, ['0/26 IN NS']],
  [
    'of a domain controller',
    'gc._msdcs A 192.0.2.9\n_ldap._tcp.dc._msdcs SRV 0 100 389 dc1.other.example.',
    2,
    ['gc._msdcs IN A 192.0.2.9'],
  ],
  ['with @ as a label', '_sip._tls.@ SRV 100 1 443 sip.other.example.', 1, ['_sip._tls IN SRV 100 1 443']],
  ['with several TTLs in a set', 'rr 300 A 192.0.2.1\nrr 900 A 192.0.2.2', 2, ['rr 300 IN A 192.0.2.2']],
  ['with mail to an alias', 'm CNAME other.example.\nx MX 5 m', 2, ['x IN MX 5 m.alice.example.']],
  ['with mail to a host that is not there', 'x MX 5 nothere\ny A 192.0.2.1', 1, ['y IN A']],
]

test.each(shapes)('imports a file %s', async (_what, file, created, texts) => {
  const { panel, load, zone } = await withZone()
  const answer = accepted(await load(file))
  expect([answer.created, answer.skipped, answer.warnings]).toEqual([created, expect.any(Array), expect.any(Array)])
  const { zone_file } = (await panel.get(`${zone}/export`)).body
  for (const text of texts)
    expect(zone_file).toMatch(typeof text === 'string' ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text)
  await panel.settle()
  expect(panel.jobs().filter((job) => !job.endsWith('succeeded'))).toEqual([])
  named('alice.example', zone_file)
  const again = accepted(await load(zone_file))
  expect([again.created, again.deleted]).toEqual([0, 0])
})

/** BIND loads the file. */
function named(name: string, text: string): void {
  if (!existsSync('/usr/bin/named-checkzone') && !existsSync('/usr/sbin/named-checkzone')) return
  const dir = mkdtempSync(join(tmpdir(), 'panel-zone-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'zone'), text)
  try {
    execFileSync('named-checkzone', ['-k', 'fail', name, join(dir, 'zone')], {
      env: { PATH: '/usr/sbin:/usr/bin:/bin' },
    })
  } catch (error) {
    throw new Error(`${String((error as { stdout: Buffer }).stdout)}\n${text}`)
  }
}

test('tells all that is wrong with a file at once, and what it changed or left out', async () => {
  const { load, show } = await withZone()
  const before = await show()
  const bad = 'a A 192.0.2.256\nok A 192.0.2.1\nb TXT "x\nc WORDS 1\nd MX x y\n@ CNAME other.example.\ne A ::1'
  const reply = await load(bad)
  expect(problem(reply)).toEqual([400, 'validation', 'zone_file'])
  for (const line of [1, 3, 4, 5, 7]) expect(reply.body.fields.zone_file).toContain(`line ${line}: `)
  const twice = await load(
    '@ CNAME other.example.\nx TXT "v=spf1 -all"\nx TXT "v=spf1 ~all"\ny CNAME a.example.\ny A 192.0.2.1',
  )
  for (const line of [1, 3, 5]) expect(twice.body.fields.zone_file).toContain(`line ${line}: `)
  expect(await show()).toEqual(before)
  const answer = accepted(await load('a 1 A 192.0.2.1\nb 1 A 192.0.2.2\nc HINFO x y\nd MX 0 nothere'))
  expect(answer.warnings).toEqual([{ line: 1, reason: 'the TTL 1 is raised to 60 (also line 2)' }])
  expect(answer.skipped).toEqual([
    { line: 3, reason: 'records of type HINFO are not supported' },
    { line: 4, reason: 'd MX: nothere.alice.example has no address in the zone' },
  ])
})

test('what the template wrote gives way to the file, and what the account wrote stays', async () => {
  const { load, records, add } = await withZone()
  accepted(await add('own', 'A', '192.0.2.77', { ttl: 600 }))
  const file =
    'www CNAME alice.example.\n@ TXT "v=spf1 include:old.example -all"\n_dmarc TXT "v=DMARC1; p=reject"\n@ 300 A 198.51.100.9\n@ MX 10 mx.old.example.\nown 60 A 192.0.2.78\nown 60 A 192.0.2.77'
  const answer = accepted(await load(file))
  const items = await records()
  expect(dataOf(items, 'www', 'CNAME')).toEqual(['alice.example'])
  expect(dataOf(items, 'www', 'A')).toEqual([])
  expect(dataOf(items, '@', 'TXT')).toEqual(['v=spf1 include:old.example -all'])
  expect(dataOf(items, '_dmarc', 'TXT')).toEqual(['v=DMARC1; p=reject'])
  expect(dataOf(items, '@', 'A')).toEqual(['198.51.100.9'])
  expect(dataOf(items, '@', 'MX')).toEqual(['mx.old.example'])
  expect(dataOf(items, 'own', 'A').toSorted()).toEqual(['192.0.2.77', '192.0.2.78'])
  expect(items.filter(({ name }) => name === 'own').map(({ ttl }) => ttl)).toEqual([600, 600])
  expect(answer.warnings.map(({ reason }: Json) => reason)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^replaces what the panel had made: www A /)]),
  )
})

test('a replaced zone keeps the keys that sign mail here, and one of another host is left out', async () => {
  const { load, records, panel } = await withZone()
  await panel.settle()
  const key = (await records()).find(({ name }) => name === 'panel1._domainkey')
  if (!key) return
  const answer = accepted(await load('@ A 198.51.100.9\npanel1._domainkey TXT "v=DKIM1; p=QUJD"', { mode: 'replace' }))
  expect(answer.skipped).toEqual([{ line: 2, reason: 'the name has the key that signs mail here' }])
  expect(dataOf(await records(), 'panel1._domainkey', 'TXT')).toEqual([key.value])
})

test.each([
  ['CAA', '"letsencrypt.org"', { tag: 'issue' }, { value: 'letsencrypt.org', flags: 0 }],
  ['CAA', '0 issue letsencrypt.org', { tag: 'issue' }, { value: 'letsencrypt.org' }],
  ['CAA', '128 issuewild ";"', {}, { value: ';', flags: 128, tag: 'issuewild' }],
  ['CAA', "Let's Encrypt", { tag: 'issue' }, undefined],
  ['CAA', 'sec@alice.example', { tag: 'iodef' }, undefined],
  ['TXT', '( "v=DKIM1; k=rsa; " "p=QUJD" )', {}, { value: 'v=DKIM1; k=rsa; p=QUJD' }],
  ['TXT', 'v=DKIM1; k=rsa; p=QUJD" "RUZH', {}, { value: 'v=DKIM1; k=rsa; p=QUJDRUZH' }],
  ['TXT', 'v=DMARC1\\; p=none', {}, { value: 'v=DMARC1; p=none' }],
  ['TXT', '"txtvers=1" "a=b"', {}, { value: '"txtvers=1" "a=b"' }],
  ['TXT', '"v=spf1 -all"', {}, undefined],
  [
    'TXT',
    '( "v=DKIM1; k=rsa; "\n  "p=QUJD" )  ; ----- DKIM key mail for alice.example',
    {},
    { value: 'v=DKIM1; k=rsa; p=QUJD' },
  ],
  ['TXT', '"v=spf1 -all" ; old provider', {}, { value: 'v=spf1 -all' }],
  ['TXT', '"a;b" "c" ; comment', {}, { value: '"a;b" "c"' }],
  ['TXT', 'v=DMARC1; p=none ; x', {}, { value: 'v=DMARC1; p=none ; x' }],
  ['TXT', '"quoted" and more ; text', {}, { value: '"quoted" and more ; text' }],
  ['TXT', '"\\"quoted\\" ; text"', {}, { value: '"\\"quoted\\" ; text"' }],
  ['CAA', '0 issue "letsencrypt.org" ; primary', {}, { value: 'letsencrypt.org', tag: 'issue' }],
  ['CAA', '0 issue letsencrypt.org ; primary', {}, { value: 'letsencrypt.org' }],
  [
    'CAA',
    '0 issue "letsencrypt.org; validationmethods=dns-01"',
    {},
    { value: 'letsencrypt.org; validationmethods=dns-01' },
  ],
  [
    'CAA',
    '0 issue letsencrypt.org; validationmethods=dns-01',
    {},
    { value: 'letsencrypt.org; validationmethods=dns-01' },
  ],
  ['CAA', '0 iodef https://ca.other.example/?a;b', {}, { value: 'https://ca.other.example/?a;b' }],
  ['A', ' 192.0.2.7 ; web', {}, { value: '192.0.2.7' }],
  ['A', '[192.0.2.7]', {}, { value: '192.0.2.7' }],
  ['A', '( 192.0.2.7 )', {}, { value: '192.0.2.7' }],
  ['A', '[192.0.2.7', {}, undefined],
  ['AAAA', ' [2001:DB8::7] ', {}, { value: '2001:db8::7' }],
  ['AAAA', '[]', {}, undefined],
  ['CNAME', 'shop.other.example. ; store', {}, { value: 'shop.other.example' }],
  ['MX', '10 mx.other.example. ; mail', {}, { value: 'mx.other.example', priority: 10 }],
  ['URI', '10 1 "https://other.example/;a" ; link', {}, { value: 'https://other.example/;a' }],
  ['URI', '10 1 https://other.example/;a', {}, { value: 'https://other.example/;a' }],
  ['HTTPS', '1 . alpn="h3,h2" ; new', {}, { value: '. alpn="h3,h2"' }],
  [
    'TLSA',
    `3 1 1 ( ${'ab'.repeat(16)}\n ${'cd'.repeat(16)} ) ; key`,
    {},
    { value: `3 1 1 ${'ab'.repeat(16)}${'cd'.repeat(16)}` },
  ],
  ['MX', '10 mx.other.example.', {}, { value: 'mx.other.example', priority: 10 }],
  [
    'SRV',
    '1 2 443 sip.other.example',
    { name: '_sip._tls.@' },
    { name: '_sip._tls', priority: 1, weight: 2, port: 443 },
  ],
  ['HTTPS', '1 . alpn=h3,h2', {}, { value: '. alpn="h3,h2"', priority: 1 }],
  ['HTTPS', '1 . alpn="h3', {}, undefined],
  ['HTTPS', '1 . nothing=1', {}, undefined],
  ['LOC', 'here', {}, undefined],
  ['NAPTR', '100 10 "u" "E2U+sip" "!(!x!" .', {}, undefined],
  ['URI', '10 1 "ftp://ftp.other.example/"', {}, { value: 'ftp://ftp.other.example/', priority: 10, weight: 1 }],
  ['DNAME', 'other.example.', { name: 'd' }, { value: 'other.example' }],
  ['A', '192.0.2.9', { name: ' https://www2.alice.example/ ' }, { name: 'www2' }],
  ['PTR', 'My Printer._ipp._tcp.alice.example', { name: '_ipp._tcp' }, undefined],
  ['TXT', 'x=1', { name: 'My Printer._ipp._tcp' }, { name: 'My\\032Printer._ipp._tcp' }],
] as const)('takes a pasted %s value %s, or refuses it', async (type, value, more, expected) => {
  const { panel, zone } = await withZone()
  const reply = await panel.post(`${zone}/records`, { name: 'rec', type, value, ...more })
  if (expected) expect(accepted(reply).record).toMatchObject(expected)
  else expect(reply.status).toBe(400)
})

test('a record of another zone is left out and named; a file of nothing else is refused', async () => {
  const { load, records, show } = await withZone()
  const answer = accepted(await load('ns1.other.example. A 192.0.2.4\n  AAAA 2001:db8::4\nblog A 192.0.2.5'))
  expect([answer.created, answer.skipped]).toEqual([
    1,
    [
      { line: 1, reason: 'ns1.other.example. is outside the zone alice.example' },
      { line: 2, reason: 'ns1.other.example. is outside the zone alice.example' },
    ],
  ])
  const [before, all] = [await show(), await records()]
  const refused = await load('$ORIGIN other.example.\n@ A 192.0.2.4\nwww CNAME @', { mode: 'replace' })
  expect(problem(refused)).toEqual([400, 'validation', 'zone_file'])
  expect(refused.body.fields.zone_file).toBe('line 2: other.example. is outside the zone alice.example')
  expect([await show(), await records()]).toEqual([before, all])
})

test('a second key of mail at a selector is refused', async () => {
  const { add } = await withZone()
  accepted(await add('k1._domainkey', 'TXT', 'v=DKIM1; p=QUJD'))
  expect(problem(await add('k1._domainkey', 'TXT', 'k=rsa; p=RUZH'))).toEqual([409, 'exists', 'value'])
})

test('strings of a text are what they were', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { minLength: 1, maxLength: 5 }), (strings) => {
      const value = valueOfStrings(strings)
      expect(stringsOf(value) ?? [value]).toEqual(strings)
    }),
    runs(),
  )
})

test('whatever is imported, its names and values pass the check of the host', async () => {
  const { load, panel, alice } = await withZone()
  const piece = fc.oneof(
    fc.constantFrom(
      'a',
      '@',
      '*',
      '_sip._tcp',
      'My\\032P._ipp._tcp',
      '$',
      '"x"',
      '"a" "b"',
      '\\;',
      '\\010',
      ';',
      '(',
      ')',
      '1',
      '.',
      'x.y.',
      'alpn="h2"',
      'key7="/q{?dns}"',
      '..',
      '/',
      '\\"',
      '\r',
    ),
    fc.string({ maxLength: 6 }),
  )
  const type = fc.constantFrom(
    'A',
    'TXT',
    'HTTPS',
    'SVCB',
    'NAPTR',
    'LOC',
    'URI',
    'PTR',
    'CNAME',
    'DNAME',
    'CAA',
    'MX',
    'SRV',
  )
  const line = fc
    .tuple(piece, type, fc.array(piece, { minLength: 1, maxLength: 6 }))
    .map(([name, kind, words]) => `${name} ${kind} ${words.join(' ')}`)
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), fc.boolean(), async (lines, isNew) => {
      const text = lines.join('\n')
      parseZoneFile(text, 'alice.example')
      const reply = await load(text, { mode: isNew ? 'replace' : 'merge' })
      expect([202, 400]).toContain(reply.status)
      if (reply.status === 400) expect(reply.body.fields.zone_file).toEqual(expect.any(String))
    }),
    runs(150),
  )
  await panel.settle()
  const { zones } = (await import('../../src/areas/dns/host.ts')).dnsHost(panel.panel.runtime, alice as never)
  for (const one of zones) checkZone(one)
})
