import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { dsOf, newZoneKey } from '../../src/areas/dns/dnssec.ts'

test('computes the DS of a known key (RFC 6605, section 6.1)', () => {
  const dnskey = '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA=='
  expect(dsOf('example.net', { dnskey, key_tag: 55648 })).toEqual({
    key_tag: 55648,
    algorithm: 13,
    digest_type: 2,
    digest: 'B4C8C1FE2E7477127B27115656AD6256F424625BF5C1E2770CE6D6E37DF61D17',
    record: 'example.net. IN DS 55648 13 2 B4C8C1FE2E7477127B27115656AD6256F424625BF5C1E2770CE6D6E37DF61D17',
  })
})

test('a new key has its own tag and digest', () => {
  const key = newZoneKey()
  const rdata = Buffer.concat([Buffer.from([1, 1, 3, 13]), Buffer.from(key.dnskey.split(' ')[3]!, 'base64')])
  expect(rdata).toHaveLength(68)
  const owner = Buffer.from('\x03bob\x07example\0', 'latin1')
  const digest = createHash('sha256').update(owner).update(rdata).digest('hex').toUpperCase()
  expect(dsOf('bob.example', key)).toMatchObject({ digest, key_tag: key.key_tag })
  expect(Buffer.from(key.private_key, 'base64')).toHaveLength(32)
})
