import { createPrivateKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { pemOfCertificate } from '../../src/areas/ssl/certificate.ts'
import { isTrusted } from '../../src/areas/ssl/chain.ts'
import { type UploadedCertificate, validateUpload } from '../../src/areas/ssl/validate-upload.ts'
import type { Problem } from '../../src/contract/problem.ts'
import { certificate, file, newKey, openssl, threeLevels } from './openssl.ts'

const now = Date.UTC(2026, 5, 1)
const { root, intermediate, leaf } = threeLevels()
const sent = (
  made: { certificate: string; key: string },
  more: Partial<UploadedCertificate> = {},
): UploadedCertificate => ({
  certificate: made.certificate,
  private_key: made.key,
  ...more,
})

function fieldsOf(input: UploadedCertificate): Record<string, string> | undefined {
  try {
    validateUpload(input, 'shop.example', now)
    return undefined
  } catch (error) {
    return (error as Problem).fields
  }
}

test('a chain in any order, with its root, is stored leaf first without the root', () => {
  const ordered = [leaf, intermediate].map((one) => one.certificate)
  for (const ca_bundle of [root.certificate + intermediate.certificate, intermediate.certificate + root.certificate]) {
    const { chain, key } = validateUpload(sent(leaf, { ca_bundle }), 'shop.example', now)
    expect(chain.map(pemOfCertificate)).toEqual(ordered)
    expect(isTrusted(chain, now)).toBe(false)
    expect(key.equals(createPrivateKey(leaf.key))).toBe(true)
  }
  const inOne = validateUpload(
    sent({ ...leaf, certificate: leaf.certificate + root.certificate + intermediate.certificate }),
    'shop.example',
    now,
  )
  expect(inOne.chain.map(pemOfCertificate)).toEqual(ordered)
})

test('of an expired authority and its valid copy the valid one is in the chain', () => {
  const expired = certificate({
    subject: '/CN=Test Intermediate',
    ca: true,
    issuer: root,
    key: intermediate.key,
    to: '20260501000000Z',
  })
  for (const bundle of [
    [expired, intermediate],
    [intermediate, expired],
  ]) {
    const { chain } = validateUpload(
      sent(leaf, { ca_bundle: bundle.map((one) => one.certificate).join('') }),
      'shop.example',
      now,
    )
    expect(chain.map(pemOfCertificate)).toEqual([leaf, intermediate].map((one) => one.certificate))
  }
})

test('a certificate that openssl req -x509 signed with its own key is accepted', () => {
  const key = newKey()
  const names = 'subjectAltName=DNS:shop.example,DNS:www.shop.example'
  const made = openssl('req', '-x509', '-key', file(key), '-days', '365', '-subj', '/CN=shop.example', '-addext', names)
  const { chain } = validateUpload(sent({ certificate: made, key }), 'shop.example', Date.now() + 1000)
  expect(chain).toHaveLength(1)
})

/** What is wrong with the field of a refused upload. */
function problemOf(upload: () => unknown): string {
  try {
    upload()
  } catch (error) {
    return (error as Problem).fields?.['certificate'] ?? ''
  }
  return ''
}

test('one of openssl req -x509 without names is told what it lacks', () => {
  const key = newKey()
  const made = openssl('req', '-x509', '-key', file(key), '-days', '365', '-subj', '/CN=shop.example')
  expect(
    problemOf(() => validateUpload(sent({ certificate: made, key }), 'shop.example', Date.now() + 1000)),
  ).toContain('does not cover shop.example: it has no subject alternative names, such as openssl adds with -addext')
  const authority = certificate({ subject: '/CN=Other', ca: true })
  expect(problemOf(() => validateUpload(sent(authority), 'shop.example', now))).toContain('is missing')
})

test('one of openssl req -x509 for another domain is told its names, and those that it needs', () => {
  const key = newKey()
  const problem = (subject: string, names: readonly string[], domain = 'shop.example') => {
    const added = names.length > 0 ? ['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`] : []
    const made = openssl('req', '-x509', '-key', file(key), '-days', '365', '-subj', subject, ...added)
    return problemOf(() => validateUpload(sent({ certificate: made, key }), domain, Date.now() + 1000))
  }
  const other = ['other.example', 'www.other.example']
  expect(problem('/CN=other.example', other)).toBe(
    'does not cover shop.example: it is for other.example, www.other.example; its names must include shop.example',
  )
  expect(problem('/CN=Me', ['other.example'], 'a.shop.example')).toBe(
    'does not cover a.shop.example: it is for other.example; its names must include a.shop.example or *.shop.example',
  )
  expect(problem('/CN=other.example', [])).toContain(
    'it is for other.example, and has no subject alternative names, such as openssl adds with -addext subjectAltName=DNS:shop.example',
  )
  expect(problem('/CN=<b>other</b>/O=x\\nCN=other.example', [])).toContain('is missing')
  const long = Array.from({ length: 40 }, (_, at) => `${`${at}`.padEnd(60, 'a')}.${'b'.repeat(60)}.example`)
  expect(problem('/CN=Many', long).length).toBeLessThan(1_500)
})

test('a certificate without its chain, or with itself in it, is accepted', () => {
  expect(validateUpload(sent(leaf), 'shop.example', now).chain).toHaveLength(1)
  expect(
    validateUpload(sent(leaf, { ca_bundle: leaf.certificate + intermediate.certificate }), 'shop.example', now).chain,
  ).toHaveLength(2)
})

test('a cross-signed root may be included in both forms', () => {
  const old = certificate({ subject: '/CN=Old Root', ca: true })
  const cross = certificate({ subject: '/CN=Test Root', ca: true, issuer: old, key: root.key })
  const all = [root, old, cross, intermediate].map((one) => one.certificate).join('')
  const { chain } = validateUpload(sent(leaf, { ca_bundle: all }), 'shop.example', now)
  expect(chain.map(pemOfCertificate)).toEqual([leaf, intermediate, cross].map((one) => one.certificate))
})

test('keys of each format are read, with CR LF line ends too', () => {
  const ec = file(leaf.key)
  const traditional = openssl('ec', '-in', ec)
  const parameters = openssl('ecparam', '-name', 'prime256v1')
  for (const key of [leaf.key, traditional, parameters + traditional, leaf.key.replaceAll('\n', '\r\n')])
    expect(fieldsOf(sent({ ...leaf, key }))).toBeUndefined()
  const rsaKey = newKey('rsa2048')
  const rsa = certificate({ key: rsaKey })
  expect(fieldsOf(sent({ ...rsa, key: openssl('rsa', '-traditional', '-in', file(rsaKey)) }))).toBeUndefined()
  expect(fieldsOf(sent(certificate({ key: newKey('p384') })))).toBeUndefined()
})

test('a key that is known here is used if none is sent', () => {
  const other = createPrivateKey(newKey())
  const { key } = validateUpload({ certificate: leaf.certificate }, 'shop.example', now, [
    other,
    createPrivateKey(leaf.key),
  ])
  expect(key.equals(createPrivateKey(leaf.key))).toBe(true)
  expect(fieldsOf({ certificate: leaf.certificate })).toEqual({ private_key: expect.stringContaining('is required') })
})

test('a key in the same text as the certificates is used', () => {
  const { key: mine, certificate: own } = leaf
  for (const upload of [
    { certificate: mine + own },
    { certificate: own + intermediate.certificate + mine },
    { certificate: own, ca_bundle: intermediate.certificate + mine },
    { certificate: own + mine, private_key: mine },
    { certificate: own + openssl('ec', '-in', file(mine)), private_key: mine },
  ]) {
    const { key, chain } = validateUpload(upload, 'shop.example', now)
    expect(key.equals(createPrivateKey(mine))).toBe(true)
    expect(pemOfCertificate(chain[0])).toBe(own)
  }
})

test("a chain from the root down, or with the site's certificate among the others, is put in order", () => {
  const ordered = [leaf, intermediate].map((one) => one.certificate)
  const [first, second, third] = [root, intermediate, leaf].map((one) => one.certificate) as [string, string, string]
  for (const upload of [
    sent({ ...leaf, certificate: first + second + third }),
    sent({ ...leaf, certificate: second + third + first }),
    sent({ ...leaf, certificate: second }, { ca_bundle: third }),
  ])
    expect(validateUpload(upload, 'shop.example', now).chain.map(pemOfCertificate)).toEqual(ordered)
})

const encrypted = () => openssl('pkey', '-in', file(leaf.key), '-aes256', '-passout', 'pass:secret')
const encryptedOld = () => openssl('ec', '-in', file(leaf.key), '-aes256', '-passout', 'pass:secret')
const trailing = (pem: string) => {
  const der = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64')
  return `-----BEGIN CERTIFICATE-----\n${Buffer.concat([der, Buffer.from([0])]).toString('base64')}\n-----END CERTIFICATE-----\n`
}

const refused: Record<string, () => readonly [field: string, message: string, sent: UploadedCertificate]> = {
  'a key without its end': () => [
    'private_key',
    'block 1 is not complete',
    sent({ ...leaf, key: leaf.key.split('-----END')[0]! }),
  ],
  'a signing request': () => [
    'certificate',
    'signing request',
    sent({ ...leaf, certificate: openssl('req', '-new', '-key', file(leaf.key), '-subj', '/CN=shop.example') }),
  ],
  'no dashes': () => [
    'certificate',
    'five dashes',
    sent({ ...leaf, certificate: leaf.certificate.replaceAll('---', '-') }),
  ],
  'another key': () => ['private_key', 'does not belong', sent({ ...leaf, key: newKey() })],
  'an encrypted key': () => ['private_key', 'is encrypted', sent({ ...leaf, key: encrypted() })],
  'an encrypted key of the old form': () => ['private_key', 'is encrypted', sent({ ...leaf, key: encryptedOld() })],
  'two keys': () => ['private_key', 'exactly one', sent({ ...leaf, key: leaf.key + newKey() })],
  'a certificate as the key': () => ['private_key', 'must be a private key', sent({ ...leaf, key: root.certificate })],
  'for clients': () => ['certificate', 'serverAuth', sent(certificate({ usage: 'clientAuth' }))],
  'no alternative names': () => ['certificate', 'no subject alternative', sent(certificate({ names: [] }))],
  'other names': () => [
    'certificate',
    'www.shop.example',
    sent(certificate({ names: ['www.shop.example', '*.shop.example'] })),
  ],
  nothing: () => ['certificate', 'must hold a certificate', sent({ ...leaf, certificate: ' \n' })],
  'the key as the certificate': () => [
    'certificate',
    'interchanged',
    { certificate: leaf.key, private_key: leaf.certificate },
  ],
  'another key among the certificates': () => [
    'certificate',
    'another private key than the one beside it',
    sent({ ...leaf, certificate: leaf.certificate + newKey() }),
  ],
  "another certificate's key among the certificates": () => [
    'certificate',
    'has a private key that does not belong to the certificate',
    { certificate: leaf.certificate + newKey() },
  ],
  'two keys among the certificates': () => [
    'certificate',
    'exactly one key',
    { certificate: leaf.key + leaf.certificate + newKey() },
  ],
  'an encrypted key among the certificates': () => [
    'certificate',
    'encrypted; remove its passphrase',
    { certificate: leaf.certificate + encrypted() },
  ],
  'bytes after the certificate': () => [
    'certificate',
    'block 1',
    sent({ ...leaf, certificate: trailing(leaf.certificate) }),
  ],
  'no base64': () => ['certificate', 'base64', sent({ ...leaf, certificate: leaf.certificate.replace('MII', 'M!I') })],
  'a chain of another': () => [
    'ca_bundle',
    'did not sign',
    sent(leaf, { ca_bundle: certificate({ subject: '/CN=Other', ca: true }).certificate }),
  ],
  'an authority of the same name': () => [
    'ca_bundle',
    'did not sign',
    sent(leaf, { ca_bundle: certificate({ subject: '/CN=Test Intermediate', ca: true }).certificate }),
  ],
  'a stranger behind its own block': () => [
    'certificate',
    'did not sign',
    sent({ ...leaf, certificate: leaf.certificate + certificate({ subject: '/CN=Other', ca: true }).certificate }),
  ],
  'a weak authority': () => {
    const weak = certificate({ subject: '/CN=Weak', ca: true, key: newKey('rsa1024'), issuer: root })
    return ['ca_bundle', 'weak', sent(certificate({ issuer: weak }), { ca_bundle: weak.certificate })]
  },
  'eleven above': () => ['ca_bundle', 'at most 10', sent(leaf, { ca_bundle: intermediate.certificate.repeat(11) })],
}

test.each(Object.keys(refused))('refuses %s', (name) => {
  const [field, message, input] = refused[name]!()
  const fields = fieldsOf(input)
  expect(fields).toEqual({ [field]: expect.stringContaining(message) })
  expect(JSON.stringify(fields)).not.toContain('PRIVATE')
})
