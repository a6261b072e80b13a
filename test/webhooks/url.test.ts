import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { urlProblem } from '../../src/areas/webhooks/url.ts'
import { reachableAddress } from '../../src/outgoing/address.ts'
import { runs } from '../fuzz.ts'
import { startPanel } from '../harness.ts'
import { harmlessUrls, hostileHosts, hostileUrls } from './hostile.ts'

const current = { hostname: 'host.example', panelPorts: [7711] }
const error = (url: string, reach: 'public' | 'private' = 'public') => urlProblem(url, reach, current)

describe('address of an account webhook', () => {
  test.each(hostileHosts.flatMap((host) => [`https://${host}/`, `https://${host}:8443/hook`]))('refuses %s', (url) => {
    expect(error(url)).toBeTypeOf('string')
  })
  test.each(hostileUrls)('refuses %j', (url) => expect(error(url)).toBeTypeOf('string'))
  test.each(harmlessUrls)('accepts %s', (url) => expect(error(url)).toBeUndefined())
  test.each(['http://127.0.0.1/', 'http://127.0.0.1:8080/hook'])('refuses %s, the relay of the server', (url) =>
    expect(error(url)).toBeTypeOf('string'),
  )

  test('refuses every such address in the operation with 422', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    for (const url of [...hostileHosts.map((host) => `https://${host}/`), ...hostileUrls]) {
      const refused = await panel.post(`/accounts/${alice.id}/webhooks`, { url })
      expect([url, refused.status, refused.code]).toEqual([url, 422, 'invalid-url'])
    }
  })
})

describe('address of a server webhook', () => {
  const relays = ['http://127.0.0.1', 'http://127.0.0.1/', 'http://127.0.0.1:8080/hook?x=1', 'http://127.0.0.1:65535']
  test.each([...relays, ...harmlessUrls])('accepts %s', (url) => expect(error(url, 'private')).toBeUndefined())
  test.each(['https://10.0.0.1/', 'https://192.168.1.1:9000/', 'https://[fd12::1]/', 'https://relay.internal/'])(
    'accepts a private address: %s',
    (url) => expect(error(url, 'private')).toBeUndefined(),
  )
  test.each([
    'http://127.0.0.1:7711/',
    'http://127.0.0.1:0/',
    'http://127.0.0.1:99999/',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.1@evil.example/',
    'http://127.0.0.1:80@evil.example/',
    'http://127.0.0.1:8080#x',
    'http://127.1/',
    'http://2130706433/',
    'http://localhost/',
    'http://[::1]/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://127.0.0.2/',
    'HTTP://127.0.0.1/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://[::1]/',
    'https://169.254.169.254/',
    'https://[fd00:ec2::254]/',
    'https://100.100.100.200/',
    'https://0.0.0.0/',
    'https://host.example:7711/',
  ])('refuses %s', (url) => expect(error(url, 'private')).toBeTypeOf('string'))
})

describe('address that may be connected to', () => {
  const v4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => bytes.join('.'))
  const v6 = fc
    .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
    .map((parts) => parts.map((part) => part.toString(16)).join(':'))

  test('accepts only addresses that another library calls unicast', () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), (address) => {
        if (reachableAddress(address, 'public')) expect(ipaddr.parse(address).range()).toBe('unicast')
      }),
      runs(5000),
    )
  })
  test('accepts every unicast address, less what that library does not know', () => {
    fc.assert(
      fc.property(v4, (address) => {
        const known = /^(168\.63\.129\.16|192\.(31\.196|52\.193|175\.48)\.)/.test(address)
        if (ipaddr.parse(address).range() === 'unicast' && !known)
          expect(reachableAddress(address, 'public')).toBe(true)
      }),
      runs(5000),
    )
  })
  test.each(['', 'example.com', '1.2.3', '01.2.3.4', '[::1]', '2606:4700::1%eth0', '1.2.3.4/8'])(
    'never accepts %j',
    (text) => {
      expect([reachableAddress(text, 'public'), reachableAddress(text, 'private')]).toEqual([false, false])
    },
  )
})
