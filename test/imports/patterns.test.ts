import { expect, test } from 'vitest'
import { matchesPattern } from '../../src/areas/imports/plan/databases.ts'
import { readerWords, unpackerWords } from '../../src/host/debian/imports.ts'
import { SeenNames } from '../../src/host/imports/seen-names.ts'

test.each([
  ['alice\\_%', 'alice_wp', true],
  ['alice\\_%', 'alicexwp', false],
  ['alice_%', 'alicexwp', true],
  ['%', 'anything', true],
  ['a%b%c', 'axxbyyc', true],
  ['a%b%c', 'axxbyy', false],
  ['Alice\\_WP', 'alice_wp', true],
  ['', 'x', false],
])('a grant on %s is one on %s: %s', (pattern, name, matches) => {
  expect(matchesPattern(pattern, name)).toBe(matches)
})

test('a pattern of many wildcards costs no more than its length', () => {
  const begun = performance.now()
  expect(matchesPattern('%a'.repeat(2_000), `${'a'.repeat(1_900)}b`)).toBe(false)
  expect(performance.now() - begun).toBeLessThan(2_000)
})

test('names of an archive take eight bytes each', () => {
  const seen = new SeenNames()
  const count = 1_000_000
  const before = process.memoryUsage().arrayBuffers
  for (let at = 0; at < count; at++) if (!seen.add(`homedir/public_html/file-${at}`)) expect.fail(String(at))
  expect(seen.add('homedir/public_html/file-77')).toBe(false)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 1024 ** 2)
})

test('systemd takes the properties of what reads and unpacks archives', () => {
  const limits = { path: '/root/a.tar', dirs: ['/root'], maxEntries: 1, maxBytes: 1 }
  const unpack = unpackerWords('x.service', 20_007, '/home/.import-x')
  // Of a unit that is made by a command, systemd refuses it.
  for (const words of [readerWords('x.service', limits), unpack])
    expect(words).not.toContain('RestrictAddressFamilies=none')
  // The user does not exist yet, so the process becomes it.
  expect(unpack.filter((word) => word.startsWith('User='))).toEqual([])
  expect(unpack.join(' ')).toContain('/usr/bin/setpriv --reuid 20007 --regid 20007 --clear-groups')
  expect(unpack).toContain('CapabilityBoundingSet=CAP_SETUID CAP_SETGID')
})
