import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordOf } from '../../src/areas/dns/rules.ts'
import { FileError, TooManyLines } from '../../src/areas/dns/zone-file/error.ts'
import { parseZoneFile, zoneFileSteps } from '../../src/areas/dns/zone-file/parse.ts'
import { keyOf } from '../../src/areas/dns/zone-index.ts'
import type { ZoneRecord } from '../../src/shared/zone/record.ts'
import { textOf as joinedText } from '../../src/shared/zone/strings.ts'
import { zoneLines } from '../../src/shared/zone/text.ts'
import { runs } from '../fuzz.ts'
import { authority, made, template, zone } from './zone.ts'

function read(text: string) {
  const { records, errors } = parseZoneFile(text, zone)
  if (errors[0]) throw errors[0]
  return records.map(({ record }) => recordOf(record, zone))
}
const textOf = (records: readonly ZoneRecord[]) => `${zoneLines(authority, records).join('\n')}\n`

const all: ZoneRecord[] = [
  ...template(),
  made('AAAA', '2001:db8::1', { name: '*' }),
  made('CNAME', '_x.y.example'),
  made('PTR', 'host.example', { name: 'p' }),
  made('CAA', 'a "b" \\ ;', { name: '@', tag: 'other', flags: 128 }),
  made('DS', `1 13 2 ${'AB'.repeat(32)}`, { name: 'd' }),
  made('NS', 'ns1.host.example', { name: 'd' }),
  made('TLSA', `3 1 1 ${'ab'.repeat(32)}`, { name: '_443._tcp' }),
  made('SSHFP', `4 2 ${'ab'.repeat(32)}`, { name: 's' }),
  made('MX', '.', { name: 'nomail' }),
  made('SRV', '.', { name: '_a._b', port: 0 }),
  made('TXT', 'x'.repeat(600), { name: 't', ttl: 60 }),
]

test('writes the text of a zone', () => {
  const records = [
    made('TXT', 'a "b" \\ ; ü', { name: '@', ttl: 300 }),
    made('A', '192.0.2.7', { name: 'mail' }),
    made('MX', `mail.${zone}`, { name: '@' }),
    made('SRV', `mail.${zone}`, { name: '_sip._tcp', weight: 1, port: 5060 }),
    made('CAA', 'letsencrypt.org', { name: '@', tag: 'issue', ttl: 3600 }),
    made('A', '192.0.2.7', { name: '@' }),
  ]
  expect(zoneLines(authority, records, [{ name: '_acme-challenge', value: 'proof' }])).toEqual([
    '$ORIGIN bob.example.',
    '$TTL 3600',
    '@ IN SOA ns1.host.example. hostmaster.bob.example. 2026010101 3600 900 1209600 300',
    '@ IN NS ns1.host.example.',
    '@ IN A 192.0.2.7',
    '@ IN CAA 0 issue "letsencrypt.org"',
    '@ IN MX 0 mail.bob.example.',
    '@ 300 IN TXT "a \\"b\\" \\\\ ; \\195\\188"',
    '_sip._tcp IN SRV 0 1 5060 mail.bob.example.',
    'mail IN A 192.0.2.7',
    '_acme-challenge 60 IN TXT "proof"',
  ])
})

test('a long text is split into strings of 255 bytes', () => {
  const line = zoneLines(authority, [made('TXT', 'x'.repeat(600))]).at(-1)!
  expect(line.match(/"[^"]*"/g)!.map((string) => string.length - 2)).toEqual([255, 255, 90])
})

test('parsing its own output gives the same records', () => {
  const file = parseZoneFile(textOf(all), zone)
  expect(read(textOf(all)).map(keyOf).sort()).toEqual(all.map(keyOf).sort())
  expect(file.skipped.map(({ line }) => line)).toEqual([3, 4])
})

const checkzone = '/usr/bin/named-checkzone'
describe.skipIf(!existsSync(checkzone))('named-checkzone', () => {
  function check(text: string): string {
    const dir = mkdtempSync(join(tmpdir(), 'panel-zone-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    writeFileSync(join(dir, 'zone'), text)
    const args = ['-i', 'local', '-k', 'fail', '-n', 'fail', '-m', 'fail', '-M', 'fail', '-S', 'fail']
    const { status, stdout, stderr } = spawnSync(checkzone, [...args, zone, join(dir, 'zone')], { encoding: 'utf8' })
    return status === 0 ? 'ok' : `${stdout}${stderr}`
  }

  test('accepts records of every type', () => expect(check(textOf(all))).toBe('ok'))

  test('accepts every text, as a single record', () => {
    const texts = fc.sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), { numRuns: 100, seed: 1 })
    const fine = texts.filter((text) => !/\p{Cc}/u.test(text) && !(text.startsWith('"') && text.endsWith('"')))
    const records = ['x" IN A 6.6.6.6 ; \\', ...fine].map((value, at) => made('TXT', value, { name: `t${at}` }))
    expect(check(textOf(records))).toBe('ok')
    expect(read(textOf(records)).map(keyOf).sort()).toEqual(records.map(keyOf).sort())
  })
})

describe('zone file', () => {
  test.each<[string, string, object[]]>([
    ['parentheses and comments', 'a IN TXT ( "x" ; (\n "y" )', [{ name: 'a', type: 'TXT', value: '"x" "y"' }]],
    [
      'an inherited name',
      'a A 192.0.2.1\n  AAAA ::1',
      [
        { name: 'a', value: '192.0.2.1' },
        { name: 'a', value: '::1' },
      ],
    ],
    ['$ORIGIN', '$ORIGIN sub\nwww A 192.0.2.1\n@ A 192.0.2.2', [{ name: 'www.sub' }, { name: 'sub' }]],
    ['$TTL in words', '$TTL 1h30m\na A 192.0.2.1', [{ ttl: 5400 }]],
    ['a TTL in words', 'a 1H IN A 192.0.2.1', [{ ttl: 3600 }]],
    ['class before TTL', 'a IN 300 A 192.0.2.1', [{ ttl: 300 }]],
    ['\\DDD', 'a TXT "\\195\\188\\"\\065"', [{ value: 'ü"A' }]],
    ['a name that looks like a TTL', '300 300 A 192.0.2.1', [{ name: '300', ttl: 300 }]],
    ['a relative host', 'a MX 10 mail', [{ value: `mail.${zone}`, priority: 10 }]],
    ['CRLF and a mark of its encoding', '\ufeffa A 192.0.2.1\r\nb A 192.0.2.2\r\n', [{ name: 'a' }, { name: 'b' }]],
    ['an unquoted text with a semicolon after', 'a TXT v=x;y', [{ value: 'v=x' }]],
    ['a host of the zone that lacks its dot', `a CNAME x.${zone}`, [{ value: `x.${zone}.${zone}` }]],
  ])('accepts %s', (_, text, records) => expect(read(text)).toMatchObject(records))

  test('omits the records that the server generates', () => {
    const text = `@ IN SOA a. b. (1 2 3\n4 5)\n@ NS ns.x.\na RRSIG x\nb NSEC c\n@ DNSKEY 257 3 13 x\n@ CDS 0\nb A 192.0.2.1`
    const { records, skipped } = parseZoneFile(text, zone)
    expect(skipped.map(({ line }) => line)).toEqual([1, 3, 4, 5, 6, 7])
    expect(records).toHaveLength(1)
    expect(records[0]!.line).toBe(8)
  })

  test('omits names outside the zone, with those that inherit them', () => {
    const text = 'a A 192.0.2.1\nother.example. A 192.0.2.2\n  TXT "x"\n$ORIGIN evil.example.\nb A 192.0.2.3'
    const { records, skipped } = parseZoneFile(text, zone)
    expect(records).toMatchObject([{ line: 1 }])
    expect(skipped).toEqual([
      { line: 2, reason: 'other.example. is outside the zone bob.example' },
      { line: 3, reason: 'other.example. is outside the zone bob.example' },
      { line: 5, reason: 'b.evil.example. is outside the zone bob.example' },
    ])
  })

  test('names types that are not served', () => {
    const text = '@ CSYNC 66 3 A NS AAAA\n@ DLV 1 1 1 ab\na A 192.0.2.1'
    expect(parseZoneFile(text, zone).skipped).toEqual([
      { line: 1, reason: 'records of type CSYNC are not supported' },
      { line: 2, reason: 'records of type DLV are not supported' },
    ])
  })

  test.each([
    ['$INCLUDE /etc/passwd', 'line 1: $INCLUDE is not supported'],
    ['\n$GENERATE 1-9 h$ A 192.0.2.$', 'line 2: $GENERATE is not supported'],
    ['$ORIGIN evil.example.\na A 192.0.2.1', 'line 2: a.evil.example. is outside the zone bob.example'],
    ['$ORIGIN .\na A 192.0.2.1', 'line 2: a. is outside the zone bob.example'],
    ['a A 192.0.2.1\nb TXT "x\nc A 192.0.2.2', 'line 2: a quote is not closed'],
    ['a TXT "x', 'line 1: a quote is not closed'],
    ['a A 192.0.2.1\nb TXT ( "x"\nc A 192.0.2.2', 'line 2: a parenthesis is not closed'],
    ['a TXT ( ( "x" ) )', 'line 1: a parenthesis within another'],
    ['a TXT "x" )', 'line 1: a parenthesis closes that none opened'],
    ['other.example. A 192.0.2.1', 'line 1: other.example. is outside the zone bob.example'],
    ['  A 192.0.2.1', 'line 1: the first record has no name'],
    ['a WORDS x', 'line 1: WORDS is not a type of records'],
    ['a', 'line 1: a record has no type'],
    ['a A', 'line 1: expected one address'],
    ['a MX mail', 'line 1: expected a priority and a host'],
    ['a MX x mail', 'line 1: expected a number'],
    ['a TXT "\\256"', 'line 1: \\256 is not a byte'],
    ['a TXT "\\25"', 'line 1: a backslash must be followed by a character or three digits'],
    ['"a" A 192.0.2.1', 'line 1: a name has characters that no name has'],
    ['$TTL x', 'line 1: $TTL is not a time'],
    ['$TTL', 'line 1: $TTL takes one value'],
  ])('refuses %j: %s', (text, message) => expect(() => read(text)).toThrow(message))

  test('any content is parsed, or the error names a line', () => {
    const scraps = fc.constantFrom(
      'a',
      'IN',
      'A',
      'TXT',
      '"',
      '\\',
      '(',
      ')',
      ';',
      '\n',
      ' ',
      '$ORIGIN',
      '$',
      '@',
      '192.0.2.1',
      '300',
      '\\065',
      'ü',
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(scraps, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 60 }),
        (parts) => {
          const text = parts.join('')
          for (const { line } of parseZoneFile(text, zone).errors) {
            expect(line).toBeGreaterThanOrEqual(1)
            expect(line).toBeLessThanOrEqual(text.split('\n').length)
          }
        },
      ),
      runs(1000),
    )
  })

  describe('limits of a zone file', () => {
    const line = (count: number, text = 'a A 192.0.2.1\n') => text.repeat(count)
    /** The steps until it ends, and how. */
    const outcome = (text: string) => {
      const steps = zoneFileSteps(text, zone)
      for (let count = 0; ; count++)
        try {
          const { done, value } = steps.next()
          if (done) return { count, message: value.errors[0]?.message ?? 'read' }
        } catch (error) {
          if (!(error instanceof FileError || error instanceof TooManyLines)) throw error
          return { count, message: error.message }
        }
    }

    test.each([
      ['records', `${line(10_001)}}$`, 10_000, 'A zone has at most 10000 records; the file has more.'],
      ['skipped records', line(600_000, 'a SOA\n'), 80_000, 'A zone file has at most 80000 lines with content.'],
      ['directives', line(600_000, '$TTL 1h\n'), 80_000, 'A zone file has at most 80000 lines with content.'],
      ['origins below each other', line(600_000, '$ORIGIN a\n'), 506, 'line 507: a name is too long'],
      ['words', `a SOA${' x'.repeat(4_000_000)}`, 0, 'line 1: the record is too long'],
      ['escapes', `a SOA "${'\\x'.repeat(4_000_000)}"`, 0, 'line 1: the record is too long'],
      ['text', `a TXT "${'x'.repeat(8_000_000)}"`, 0, 'line 1: the record is too long'],
      ['blanks', `a TXT${' '.repeat(8_000_000)}x`, 0, 'line 1: the record is too long'],
      ['empty lines in parentheses', `a TXT (${'\n'.repeat(8_000_000)})`, 0, 'line 32763: the record is too long'],
    ])('limits the %s that are read', (_, text, count, message) => expect(outcome(text)).toEqual({ count, message }))

    test('reads any number of comments and empty lines, a step each', () => {
      expect(outcome('\n'.repeat(100_000))).toEqual({ count: 100_000, message: 'read' })
      expect(outcome(`; ${'x'.repeat(100_000)}\n`.repeat(3))).toEqual({ count: 3, message: 'read' })
      expect(outcome(`a TXT ( x ; ${'x'.repeat(100_000)}\n )`)).toEqual({ count: 1, message: 'read' })
    })

    test('reads the longest text, each byte escaped and quoted by itself', () => {
      const [record] = read(`a TXT ${'"\\120" '.repeat(4096)}`)
      expect(joinedText(record!.value)).toBe('x'.repeat(4096))
    })

    test('reads at most 32 KiB in a step, whatever the file repeats', () => {
      const scrap = fc.oneof(
        fc.constantFrom(
          'a ',
          '( ',
          '\n',
          ' ',
          ';',
          '"x" ',
          '\\x',
          '\\120',
          '$ORIGIN a\n',
          '$TTL 1\n',
          'a SOA\n',
          ') ',
          '"',
        ),
        fc.string({ unit: 'binary', maxLength: 5 }),
      )
      fc.assert(
        fc.property(fc.array(fc.tuple(scrap, fc.integer({ min: 1, max: 100_000 })), { maxLength: 4 }), (parts) => {
          const text = parts.map(([part, times]) => part.repeat(times)).join('')
          const { count, message } = outcome(text)
          const withoutComments = text.replace(/;.*/g, '').length
          if (message === 'read') expect((count + 1) * 32 * 1024).toBeGreaterThanOrEqual(withoutComments)
          expect(count).toBeLessThanOrEqual(text.split('\n').length)
        }),
        runs(100),
      )
    })
  })
})
