import { describe, expect, test } from 'vitest'
import { nextSerial } from '../../src/areas/dns/serial.ts'
import { check, made, template, zone } from './zone.ts'

const a = (name: string, ttl?: number) => made('A', '192.0.2.9', { name, ttl })
const txt = (name: string, value = 'x') => made('TXT', value, { name })
const digest = 'ab'.repeat(32)

test('the text of a record is made only where its name has another of its type', () => {
  const unread = (name: string) => ({
    ...txt(name),
    get value(): string {
      throw new Error('read')
    },
  })
  const alone = Array.from({ length: 500 }, (_, at) => unread(`x${at}`))
  expect(check(template(), alone)).toEqual([])
  expect(() => check(template(), [unread('x'), unread('x')])).toThrow('read')
})

describe('zone after a change', () => {
  test('the template is valid', () => expect(check([], template())).toEqual([]))

  test.each<[string, string[], ReturnType<typeof made>[]]>([
    ['a CNAME beside an A', ['exists www CNAME name'], [made('CNAME', 'x.example', { name: 'www' })]],
    ['a CNAME at the apex', ['validation @ CNAME name'], [made('CNAME', 'x.example', { name: '@' })]],
    ['two CNAMEs', ['exists c CNAME name'], ['x.example', 'y.example'].map((to) => made('CNAME', to, { name: 'c' }))],
    ['the same record', ['exists www A value'], [made('A', '192.0.2.7', { name: 'WWW' })]],
    [
      'the same digest in other letters',
      ['exists x TLSA value'],
      [made('TLSA', `3 1 1 ${digest}`), made('TLSA', `3 1 1 ${digest.toUpperCase()}`)],
    ],
    ['another TTL than the rest', ['validation www A ttl'], [a('www', 300)]],
    ['the TTL of the rest, said', [], [a('www', 3600)]],
    ['a second SPF', ['exists @ TXT value'], [txt('@', 'V=SPF1 -all')]],
    ['a second DMARC', ['exists _dmarc TXT value'], [txt('_dmarc', 'v=DMARC1; p=reject')]],
    ['SPF elsewhere', [], [txt('x', 'v=spf1 -all')]],
    ['what only begins like SPF', [], [txt('@', 'v=spf10')]],
    ['MX to nothing', ['validation m MX value'], [made('MX', `nothere.${zone}`, { name: 'm' })]],
    [
      'MX to a CNAME',
      ['validation m MX value'],
      [made('CNAME', zone, { name: 'c' }), made('MX', `c.${zone}`, { name: 'm' })],
    ],
    ['MX elsewhere', [], [made('MX', 'mx.other.example', { name: 'm' })]],
    ['MX that a wildcard covers', [], [a('*.w'), made('MX', `q.w.${zone}`, { name: 'm' })]],
    [
      'MX that a wildcard does not cover',
      ['validation m MX value'],
      [a('*.w'), txt('a.q.w'), made('MX', `q.w.${zone}`, { name: 'm' })],
    ],
    [
      'MX beyond a cut',
      [],
      [made('NS', 'ns1.host.example', { name: 'sub' }), made('MX', `mail.sub.${zone}`, { name: 'm' })],
    ],
    ['NS without its glue', ['validation sub NS value'], [made('NS', `ns.sub.${zone}`, { name: 'sub' })]],
    ['NS with its glue', [], [made('NS', `ns.sub.${zone}`, { name: 'sub' }), a('ns.sub')]],
    ['SRV to nothing', ['validation _a._b SRV value'], [made('SRV', `nothere.${zone}`, { name: '_a._b', port: 1 })]],
    ['no mail beside mail', ['validation @ MX value'], [made('MX', '.', { name: '@' })]],
    ['DS alone', ['validation d DS name'], [made('DS', `1 13 2 ${digest}`, { name: 'd' })]],
    [
      'DS beside NS',
      [],
      [made('DS', `1 13 2 ${digest}`, { name: 'd' }), made('NS', 'ns1.host.example', { name: 'd' })],
    ],
  ])('detects conflicts only: %s', (_, received, added) => expect(check(template(), added)).toEqual(received))

  test('invalid input is reported before conflicts', () => {
    const added = [made('CNAME', 'x.example', { name: 'www' }), made('CNAME', 'x.example', { name: '@' })]
    expect(check(template(), added)).toEqual(['validation @ CNAME name'])
  })

  test('removing an address that is needed is a conflict', () => {
    expect(
      check(
        template().filter(({ name }) => name !== 'mail'),
        [],
      ),
    ).toEqual(['in-use @ MX value'])
    expect(check([...template(), a('*'), made('MX', `q.${zone}`, { name: 'm' })], [txt('q')])).toEqual([
      'in-use m MX value',
    ])
    expect(check([made('DS', `1 13 2 ${digest}`, { name: 'd' })], [])).toEqual(['in-use d DS name'])
  })
})

test("the serial is the date's, or the previous one plus one", () => {
  const day = Date.UTC(2026, 0, 1, 23, 59)
  expect(nextSerial(2025123107, day)).toBe(2026010100)
  expect(nextSerial(2026010100, day)).toBe(2026010101)
  expect(nextSerial(2026010199, day)).toBe(2026010200)
})
