import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf, pemOf } from '../../src/areas/ssl/pem.ts'
import { openPkcs12 } from '../../src/cli/input/pkcs12.ts'
import type { Problem } from '../../src/contract/problem.ts'
import { runs } from '../fuzz.ts'
import { certificate, file, inDir, newKey, openssl, threeLevels } from '../ssl/openssl.ts'

const { intermediate, leaf } = threeLevels()
const both = leaf.certificate + intermediate.certificate
const indented = (text: string) => text.replace(/^/gm, '    ')

/** What authorities, mail programs, editors and other programs make of two certificates. */
const shapes: Record<string, string> = {
  'as it is': both,
  'Windows line ends': both.replaceAll('\n', '\r\n'),
  'line ends of old Macs': both.replaceAll('\n', '\r'),
  'a shell stripped the last line end': both.replaceAll('\n', '\r\n').trimEnd(),
  'no line end between blocks': leaf.certificate.trimEnd() + intermediate.certificate,
  'a byte order mark': `\ufeff${both}`,
  'blanks around lines': both.replace(/$/gm, '  '),
  'indented in YAML': indented(both),
  'all in one line': both.replaceAll('\n', ' '),
  'escaped line ends of JSON or an environment variable': both.replaceAll('\n', '\\n'),
  'comments of a mail': `Dear customer,\n\nyour certificate:\n${leaf.certificate}\n# intermediate\n${intermediate.certificate}\nRegards -- your CA\n`,
  'the text of openssl x509 -text': openssl('x509', '-in', file(leaf.certificate), '-text') + intermediate.certificate,
  'Bag Attributes': `Bag Attributes\n    localKeyID: 01\nsubject=CN = x\n${leaf.certificate}Bag Attributes: <No Attributes>\n${intermediate.certificate}`,
  'lines of 76 characters': both.replace(
    /(-----\n)([^-]+)(\n-----)/g,
    (_, head, body, tail) =>
      head +
      body
        .replaceAll('\n', '')
        .match(/.{1,76}/g)
        .join('\n') +
      tail,
  ),
}

test.each(Object.keys(shapes))('reads two certificates with %s', (name) => {
  const blocks = blocksOf('certificate', shapes[name]!)
  expect(blocks.map(({ label, der }) => pemOf(label, der))).toEqual([leaf.certificate, intermediate.certificate])
})

test('reads whatever blocks there are between other lines, with any line ends', () => {
  const der = fc.uint8Array({ minLength: 1, maxLength: 300 })
  const noise = fc.string({ maxLength: 80 }).filter((text) => !text.includes('-----'))
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(fc.array(fc.tuple(noise, der), { minLength: 1, maxLength: 4 }), noise, lineEnd, (parts, tail, end) => {
      const text = parts
        .map(
          ([words, bytes]) => `${words.replaceAll('\\', '')}${end}${pemOf('CERTIFICATE', bytes).replaceAll('\n', end)}`,
        )
        .join('')
      const found = blocksOf('certificate', text + tail.replaceAll('\\', ''))
      expect(found.map((one) => one.der)).toEqual(parts.map(([, bytes]) => Buffer.from(bytes)))
    }),
    runs(),
  )
})

test('either reads a text or names what is wrong with the field, and never shows a key', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '-----BEGIN CERTIFICATE-----',
      '-----END CERTIFICATE-----',
      '-----BEGIN X-----',
      '-----',
      '\n',
      '\r',
      'Proc-Type: 4,ENCRYPTED\n',
    ),
    fc.base64String({ maxLength: 40 }),
    fc.string({ maxLength: 20 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        for (const { der } of blocksOf('private_key', pieces.join(''))) expect(der.length).toBeGreaterThan(0)
      } catch (error) {
        expect((error as Problem).fields).toEqual({ private_key: expect.any(String) })
      }
    }),
    runs(2_000),
  )
})

test.each([
  ['modern', []],
  ['of old Windows', ['-legacy']],
  ['with triple DES', ['-certpbe', 'PBE-SHA1-3DES', '-keypbe', 'PBE-SHA1-3DES', '-macalg', 'sha1']],
] as const)('opens a PKCS #12 file that is %s, with a key of either kind', (_name, options) => {
  for (const key of [newKey(), newKey('rsa2048')]) {
    const made = certificate({ key, issuer: intermediate })
    const out = file('')
    openssl(
      'pkcs12',
      '-export',
      ...options,
      '-inkey',
      file(key),
      '-in',
      file(made.certificate),
      '-certfile',
      file(intermediate.certificate),
      '-passout',
      'pass:ü secret',
      '-out',
      out,
    )
    const der = readFileSync(inDir(out))
    expect(openPkcs12(der, 'ü secret')).toEqual({ certificate: made.certificate, key, chain: intermediate.certificate })
    expect(openPkcs12(der, 'other')).toBe('password')
    expect(() => openPkcs12(der.subarray(0, -9), 'ü secret')).toThrow('damaged')
  }
})
