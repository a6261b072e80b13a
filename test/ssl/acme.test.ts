import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AcmeClient } from '../../src/areas/ssl/acme/client.ts'
import { type Challenge, orderCertificate, type Proof } from '../../src/areas/ssl/acme/order.ts'
import { certificateOf } from '../../src/areas/ssl/certificate.ts'
import { signingRequest } from '../../src/areas/ssl/csr.ts'
import { newKey } from '../../src/areas/ssl/key.ts'
import { blocksOf } from '../../src/areas/ssl/pem.ts'
import { exchange } from '../../src/outgoing/exchange.ts'
import { systemClock } from '../../src/runtime/clock/clock.ts'
import { hasPebble, Pebble } from './pebble.ts'

const accountKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

describe.skipIf(!hasPebble)('ACME server pebble', () => {
  let pebble: Pebble
  beforeAll(async () => {
    pebble = await Pebble.start()
  })
  afterAll(() => pebble.stop())

  async function issue(
    names: readonly string[],
    challenge: Challenge,
    publish: (proofs: readonly Proof[]) => Promise<void>,
  ) {
    const { signal } = new AbortController()
    const key = await newKey('ec-p256')
    const client = new AcmeClient({
      directory: pebble.directory,
      contact: 'admin@host.example',
      key: accountKey,
      ca: pebble.ca,
      signal,
      exchange,
      now: Date.now,
    })
    await client.open()
    const request = await signingRequest(key, names)
    const pem = await orderCertificate(client, {
      names,
      challenge,
      request,
      accountKey,
      clock: systemClock,
      signal,
      publish,
    })
    const [leaf] = blocksOf('certificate', pem).map(({ der }) => certificateOf(der)!)
    expect(leaf!.node.checkPrivateKey(key)).toBe(true)
    return leaf!.names
  }

  const onSite = async (proofs: readonly Proof[]) => {
    const files = new Map(proofs.map(({ token, content }) => [`/.well-known/acme-challenge/${token}`, content]))
    pebble.serve = (path) => files.get(path)
  }

  test('issues with a file below the site', async () => {
    expect(await issue(['shop.example', 'www.shop.example'], 'http-01', onSite)).toEqual([
      'shop.example',
      'www.shop.example',
    ])
  })

  test('issues for a wildcard with a TXT record', async () => {
    const inZone = async (proofs: readonly Proof[]) => {
      for (const { domain, txt } of proofs) await pebble.setTxt(domain, txt)
    }
    expect(await issue(['*.shop.example'], 'dns-01', inZone)).toEqual(['*.shop.example'])
  })

  test('says which name was not validated, and why', async () => {
    pebble.serve = () => 'something else'
    const refused = issue(['bad.example'], 'http-01', async () => {})
    await expect(refused).rejects.toMatchObject({
      domain: 'bad.example',
      message: expect.stringMatching(/^bad\.example could not be validated: .*key authorization/i),
    })
  })

  test('says where to look when no TXT record was found', async () => {
    const refused = issue(['*.bad.example'], 'dns-01', async () => {})
    await expect(refused).rejects.toThrow(
      /^bad\.example could not be validated: .*Check that the NS records of the domain/,
    )
  })

  test('a certificate authority with an untrusted certificate gets no request', async () => {
    const { signal } = new AbortController()
    const client = new AcmeClient({
      directory: pebble.directory,
      contact: undefined,
      key: accountKey,
      ca: undefined,
      signal,
      exchange,
      now: Date.now,
    })
    await expect(client.open()).rejects.toMatchObject({ kind: 'tls' })
  })
})
