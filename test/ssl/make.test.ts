import { createPublicKey, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { certificateOf, covers } from '../../src/areas/ssl/certificate.ts'
import { pemOfRequest, signingRequest } from '../../src/areas/ssl/csr.ts'
import { newKey, pemOfKey } from '../../src/areas/ssl/key.ts'
import { pemOf } from '../../src/areas/ssl/pem.ts'
import { selfSigned } from '../../src/areas/ssl/self-signed.ts'
import { statusOf } from '../../src/areas/ssl/status.ts'
import { day } from '../../src/shared/time.ts'
import { file, openssl } from './openssl.ts'

const now = Date.UTC(2026, 5, 1)
const names = ['shop.example', 'www.shop.example']

test('a self-signed certificate covers the served names for 397 days, and openssl accepts it', async () => {
  const key = await newKey('ec-p256')
  const made = selfSigned(key, names, now)
  const der = made.node.raw
  const { node: _, ...read } = certificateOf(der)!
  expect(made).toMatchObject(read)
  expect(read).toMatchObject({ names, notAfter: read.notBefore + 397 * day })
  const pem = file(pemOf('CERTIFICATE', der))
  expect(openssl('verify', '-purpose', 'sslserver', '-attime', String(now / 1000), '-CAfile', pem, pem)).toContain('OK')
  expect(openssl('x509', '-in', pem, '-noout', '-ext', 'subjectAltName')).toContain(
    'DNS:shop.example, DNS:www.shop.example',
  )
  expect(new X509Certificate(der)).toMatchObject({ ca: false, subject: 'CN=shop.example' })
  expect(new X509Certificate(der).checkPrivateKey(key)).toBe(true)
})

test('a name too long for a common name is in the alternative names', async () => {
  const long = `${'a'.repeat(63)}.example`
  const made = selfSigned(await newKey('ec-p256'), [long, `www.${long}`], now)
  const { node, ...read } = made
  expect(certificateOf(node.raw)).toMatchObject(read)
  const der = node.raw
  expect(
    openssl('x509', '-in', file(pemOf('CERTIFICATE', der)), '-noout', '-subject', '-ext', 'subjectAltName'),
  ).toContain(`DNS:${long}`)
})

test('openssl reads certificates with any key, wildcard, number of names and time', async () => {
  const many = Array.from({ length: 100 }, (_, at) => `name-${at}.shop.example`)
  for (const [type, names, at] of [
    ['rsa-2048', ['*.shop.example'], now],
    ['ec-p256', many, Date.UTC(2049, 11, 31)],
  ] as const) {
    const key = await newKey(type)
    const { node, ...read } = selfSigned(key, names, at)
    expect(certificateOf(node.raw)).toMatchObject(read)
    expect([node.verify(createPublicKey(key)), node.checkPrivateKey(key)]).toEqual([true, true])
    const pem = file(pemOf('CERTIFICATE', node.raw))
    const valid = ['-attime', String(at / 1000), '-CAfile', pem, pem]
    expect(openssl('verify', '-x509_strict', '-purpose', 'sslserver', ...valid)).toContain('OK')
  }
})

test.each(['ec-p256', 'rsa-2048'] as const)('openssl verifies a signing request with a key of %s', async (type) => {
  const key = await newKey(type)
  const der = await signingRequest(key, names, {
    organization: 'Bücher & Co, Ltd',
    locality: 'Köln',
    state: 'NRW',
    country: 'DE',
  })
  const request = file(pemOfRequest(der))
  expect(openssl('req', '-in', request, '-noout', '-verify', '-subject', '-nameopt', 'utf8,sep_comma_plus')).toContain(
    'CN=shop.example,O=Bücher & Co, Ltd,L=Köln,ST=NRW,C=DE',
  )
  const text = openssl('req', '-in', request, '-noout', '-text')
  expect(text).toContain('DNS:shop.example, DNS:www.shop.example')
  expect(openssl('req', '-in', request, '-noout', '-pubkey')).toBe(
    createPublicKey(key).export({ type: 'spki', format: 'pem' }),
  )
  expect(openssl('pkey', '-in', file(pemOfKey(key)), '-check', '-noout')).toContain('valid')
})

test.each([
  ['shop.example', true],
  ['www.shop.example', true],
  ['a.www.shop.example', false],
  ['*.shop.example', true],
  ['*.www.shop.example', false],
])('decides whether *.shop.example and shop.example cover %s: %s', (name, covered) => {
  expect(covers(['shop.example', '*.shop.example'], name)).toBe(covered)
})

test.each([
  [90, 16, 'valid'],
  [90, 14, 'expiring'],
  [6, 1, 'expiring'],
  [6, 2, 'valid'],
  [6, 0, 'expired'],
])('decides whether a certificate of %i days with %i left is due: %s', (lifetime, left, status) => {
  const not_after = now + left * day
  expect(statusOf({ not_before: not_after - lifetime * day, not_after }, now)).toBe(status)
})
