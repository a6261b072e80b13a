import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../fuzz.ts'
import { errorOf, made, zone } from './zone.ts'

const srv = { name: '_sip._tcp', port: 5060 }

describe('name of a record', () => {
  test.each([
    ['@', '@'],
    ['WWW', 'www'],
    ['www.bob.example', 'www'],
    ['www.bob.example.', 'www'],
    ['bob.example', '@'],
    ['a.b', 'a.b'],
    ['other.example', 'other.example'],
    ['xbob.example', 'xbob.example'],
    ['*', '*'],
    ['*.a', '*.a'],
    ['_dmarc', '_dmarc'],
    ['bücher', 'xn--bcher-kva'],
    ['BÜCHER.bob.example.', 'xn--bcher-kva'],
  ])('normalizes %s to %s', (name, visible) => expect(made('TXT', 'x', { name }).name).toBe(visible))

  test.each([
    '',
    '.',
    'a..b',
    '-a',
    'a-',
    'a b',
    'a*',
    'a.*',
    '**',
    'other.example.',
    'a'.repeat(64),
    `${'a.'.repeat(121)}a`,
    'x;y',
    'a"',
    'xn--a',
    '*.',
    '$ORIGIN',
    'a\nb',
  ])('refuses %j as the name of a record', (name) =>
    expect(errorOf(() => made('TXT', 'x', { name }))).toMatch(/^validation name: /),
  )
})

describe('host that a record points to', () => {
  test.each([
    ['mail.bob.example', 'mail.bob.example'],
    ['Mail.Bob.Example.', 'mail.bob.example'],
    ['@', zone],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['mail.bob.example,', 'mail.bob.example'],
    ['mail.bob.example. ,', 'mail.bob.example'],
  ])('normalizes the host %s to %s', (value, visible) => expect(made('CNAME', value).value).toBe(visible))

  test.each([
    'mail',
    '192.0.2.1',
    '2001:db8::1',
    'https://x.example',
    'x.example/',
    '',
    '.',
    'a..b',
    'x y.example',
    'x.1',
    ',',
    'a.example,b.example',
    'a.example\\,',
  ])('refuses %j as the host of a record', (value) =>
    expect(errorOf(() => made('CNAME', value))).toMatch(/^validation value: /),
  )
})

describe('values of a record by type', () => {
  test.each<[string, string, object, object]>([
    ['A', '192.0.2.9', {}, {}],
    ['AAAA', '2001:0DB8:0:0::1', {}, { value: '2001:db8::1' }],
    ['CNAME', '_x.bob.example', {}, {}],
    ['PTR', 'host.example', {}, {}],
    ['NS', 'ns1.host.example', {}, {}],
    ['MX', 'mail.bob.example', {}, { priority: 0 }],
    ['MX', 'mail.bob.example', { priority: 65535 }, { priority: 65535 }],
    ['MX', '.', {}, { priority: 0 }],
    ['SRV', 'sip.bob.example', srv, { priority: 0, weight: 0, port: 5060 }],
    ['SRV', '.', srv, { priority: 0, weight: 0, port: 5060 }],
    ['CAA', 'letsencrypt.org', { tag: 'issue' }, { flags: 0, tag: 'issue' }],
    ['DS', `1 13 2 ${'AB'.repeat(32)}`, {}, {}],
    ['DS', `01 13  2 ${'AB '.repeat(32)}`, {}, { value: `1 13 2 ${'AB'.repeat(32)}` }],
    ['TLSA', `3 1 1 ${'ab'.repeat(32)}`, {}, {}],
    ['TLSA', '3 1 0 ab', {}, {}],
    ['SSHFP', `4 2 ${'ab'.repeat(32)}`, {}, {}],
    ['TXT', 'a "b" \\ ; ü', {}, {}],
  ])('accepts %s %s %j', (type, value, over, visible) => {
    expect(made(type, value, over)).toEqual({ name: 'x', type, value, ...over, ...visible })
  })

  test.each<[string, string, string, object]>([
    ['value', 'A', '2001:db8::1', {}],
    ['value', 'A', '192.0.2.256', {}],
    ['value', 'A', '192.0.2.01', {}],
    ['value', 'A', '192.0.2.1 1', {}],
    ['value', 'AAAA', '192.0.2.1', {}],
    ['value', 'AAAA', 'fe80::1%eth0', {}],
    ['name', 'A', '192.0.2.1', { name: '_x' }],
    ['name', 'MX', 'mail.bob.example', { name: 'a._x' }],
    ['name', 'NS', 'ns1.host.example', { name: '@' }],
    ['name', 'NS', 'ns1.host.example', { name: '*' }],
    ['value', 'NS', '_x.host.example', {}],
    ['value', 'MX', '192.0.2.1', {}],
    ['value', 'MX', '_x.bob.example', {}],
    ['priority', 'MX', '.', { priority: 1 }],
    ['priority', 'MX', 'mail.bob.example', { priority: 65536 }],
    ['priority', 'MX', 'mail.bob.example', { priority: -1 }],
    ['name', 'SRV', 'sip.bob.example', { name: '_sip.tcp', port: 1 }],
    ['port', 'SRV', 'sip.bob.example', { name: '_sip._tcp' }],
    ['tag', 'CAA', 'x', {}],
    ['tag', 'CAA', 'x', { tag: 'a-b' }],
    ['flags', 'CAA', 'x', { tag: 'issue', flags: 1 }],
    ['value', 'CAA', 'ü', { tag: 'issue' }],
    ['value', 'CAA', 'x'.repeat(256), { tag: 'issue' }],
    ['value', 'DS', `1 13 2 ${'ab'.repeat(20)}`, {}],
    ['value', 'DS', `1 13 9 ${'ab'.repeat(20)}`, {}],
    ['value', 'DS', 'x', {}],
    ['value', 'TLSA', `4 1 1 ${'ab'.repeat(32)}`, {}],
    ['value', 'TLSA', '3 1 0 abc', {}],
    ['value', 'SSHFP', `5 2 ${'ab'.repeat(32)}`, {}],
    ['value', 'TXT', '', {}],
    ['value', 'TXT', 'x'.repeat(4097), {}],
    ['value', 'TXT', 'ü'.repeat(2049), {}],
    ['value', 'TXT', 'a\nb', {}],
    ['value', 'TXT', 'a\rb', {}],
    ['value', 'TXT', 'a\0b', {}],
    ['value', 'TXT', '"v=spf1 -all"', {}],
    ['priority', 'A', '192.0.2.1', { priority: 1 }],
    ['tag', 'TXT', 'x', { tag: 'issue' }],
    ['type', 'SOA', 'x', {}],
    ['type', 'ALIAS', 'x', {}],
    ['type', 'DNSKEY', 'x', {}],
    ['type', 'constructor', 'x', {}],
    ['ttl', 'TXT', 'x', { ttl: 59 }],
    ['ttl', 'TXT', 'x', { ttl: 86_401 }],
    ['ttl', 'TXT', 'x', { ttl: -1 }],
    ['ttl', 'TXT', 'x', { ttl: 1.5 }],
  ])('refuses %s of %s %j %j', (field, type, value, over) => {
    expect(errorOf(() => made(type, value, over))).toMatch(new RegExp(`^validation ${field}: `))
  })

  test('any input yields a record or an error that names a field', () => {
    const types = fc.constantFrom('A', 'AAAA', 'CNAME', 'MX', 'TXT', 'CAA', 'DS', 'SRV', 'NS', 'PTR', 'TLSA', 'SSHFP')
    fc.assert(
      fc.property(types, fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (type, name, value) => {
        errorOf(() => made(type, value, { name }))
      }),
      runs(),
    )
  })
})
