import { expect, test } from 'vitest'
import { parseZoneFile } from '../../src/areas/dns/zone-file/parse.ts'
import { zoneParts } from '../../src/cli/run/zone-chunks.ts'

const zone = 'alice.example'
const partsOf = (file: string, max = 1) => zoneParts(file, zone, max)

/** The server parses the parts like the whole, line numbers included. */
function expectSame(file: string, max = 1): void {
  const full = parseZoneFile(file, zone)
  const parts = partsOf(file, max).map(({ text }) => parseZoneFile(text, zone))
  expect(parts.flatMap(({ records }) => records)).toEqual(full.records)
  expect(parts.flatMap(({ skipped }) => skipped)).toEqual(full.skipped)
}

test('each part has a limited number of records, and names its lines', () => {
  const file = '; mine\na A 192.0.2.1\nb A 192.0.2.2\n\n; two\nc A 192.0.2.3\n'
  expect(partsOf(file, 2)).toEqual([
    { first: 2, last: 3, text: '; mine\na A 192.0.2.1\nb A 192.0.2.2\n\n; two\n' },
    { first: 6, last: 6, text: '$ORIGIN alice.example.\n\n\n\n\nc A 192.0.2.3\n' },
  ])
  expect(partsOf('; nothing\n$TTL 300\n')).toEqual([])
})

test.each([
  ['quotes', 'a TXT "one ; ( \\" two"\nb TXT "x" y\nc TXT \\"z\nd A 192.0.2.1'],
  [
    'parentheses over lines',
    'a TXT ( "one" ; not ) here\n "two"\n)\nb A ( 192.0.2.1 )\nc A (\n\n192.0.2.1 ) ; end\nd A 192.0.2.2\n',
  ],
  ['comments', ';a (\n\na A 192.0.2.1 ; "b\n ; nothing\n\t\nb A 192.0.2.1;c\n'],
  ['inherited owners', 'a A 192.0.2.1\n A 192.0.2.2\n\tAAAA 2001:db8::1\n@ A 192.0.2.3\n 300 IN A 192.0.2.4\n'],
  [
    'origin and TTL',
    '$ORIGIN sub\na A 192.0.2.1\n$TTL 1h\n$origin deep\n A 192.0.2.2\n@ A 192.0.2.3\n MX 1 a\n$ORIGIN @\n$ORIGIN alice.example.\nb.alice.example. A 192.0.2.4\n$ttl 60\nc CNAME b\n',
  ],
  ['line ends and a byte order mark', '\ufeff$TTL 300\r\na A 192.0.2.1\r\n A 192.0.2.2\r\n\r\nb A 192.0.2.3'],
  ['skipped records', '@ SOA ns. root. (\n 1 2 3 4 5 )\n NS ns1.example.\n A 192.0.2.1\n NSEC a A\nb A 192.0.2.1\n'],
])('reads %s in parts like the whole', (_what, file) => {
  for (const max of [1, 2, 3, 100]) expectSame(file, max)
  expect(partsOf(file).length).toBeGreaterThan(1)
})
