import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttps } from 'node:https'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Guards } from '../../src/outgoing/connect.ts'
import { resolverOf } from '../../src/outgoing/resolve.ts'
import { type KeyPair, ownCertificate } from '../../src/server/tls.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { event, hour, sent, webhook } from './helpers.ts'
import { hostileHosts } from './hostile.ts'
import { Receiver, status } from './receiver.ts'

async function certificate(name: string, now = Date.now()): Promise<KeyPair> {
  const dir = mkdtempSync(join(tmpdir(), 'panel-tls-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return ownCertificate(dir, name, now)
}

async function secureReceiver(pair: KeyPair, host = '127.0.0.1'): Promise<Receiver> {
  const receiver = await new Receiver(status(200, 'ok'), (handle) => createHttps(pair, handle)).listen(host)
  onTestFinished(() => receiver.close())
  return receiver
}

/** Counts connections; never responds. */
async function privateListener(host: string, port = 0): Promise<{ port: number; connections: () => number }> {
  let count = 0
  const server: Server = createServer((socket) => {
    count++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as { port: number }).port, connections: () => count }
}

const types: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }
type Zone = (name: string, type: 'A' | 'AAAA') => string[] | 'silence'

/** A name server on loopback with given answers; returns its address. */
async function nameServer(zone: Zone): Promise<string> {
  const server = createSocket('udp4')
  server.on('message', (query, from) => {
    const answer = answerTo(query, zone)
    if (answer) server.send(answer, from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${server.address().port}`
}

function answerTo(query: Buffer, zone: Zone): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = query.readUInt16BE(at + 1)
  const found = types[type] ? zone(labels.join('.'), types[type]) : []
  if (found === 'silence') return undefined
  const head = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0])])
  const records = found.map((address) => {
    const data = types[type] === 'A' ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address, 'hex')
    const fixed = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([head, query.subarray(12, at + 5), ...records])
}

const v6 = (text: string): string => text.replaceAll(':', '')

/** An account webhook whose address was valid when it was stored, whatever it is now. */
async function aimed(panel: TestPanel, url = 'https://receiver.example/'): Promise<(url?: string) => Promise<Json>> {
  const alice = await panel.account('alice')
  const hook = await webhook(panel, { url, events: ['account.renamed'] }, alice.id)
  const path = `/accounts/${alice.id}/webhooks/${hook.id}`
  await panel.post(`${path}/test`)
  await sent(panel)
  return async (to = url) => {
    await panel.store.change(() => void panel.store.sqlite.prepare('UPDATE webhooks SET url = ?').run(to))
    panel.clock.jump(1000)
    const [{ id }] = (await panel.get(`${path}/deliveries`)).body.items
    await panel.post(`${path}/deliveries/${id}/redeliver`)
    await sent(panel)
    return (await panel.get(`${path}/deliveries`)).body.items[0].attempts.at(-1)
  }
}

const slowOrPrivate: Zone = (name, type) => (name.startsWith('slow') ? 'silence' : type === 'A' ? ['10.0.0.1'] : [])

describe('account webhook', () => {
  test('never reaches a private listener by a literal, however it is written, nor by a name', async () => {
    const loopback = await privateListener('127.0.0.1')
    const six = await privateListener('::1', loopback.port)
    const requests: string[] = []
    const resolve = async (name: string): Promise<string[]> => {
      requests.push(name)
      return ['127.0.0.1']
    }
    const panel = await startPanel({ outgoing: { resolve } })
    const attempt = await aimed(panel)
    for (const host of hostileHosts)
      for (const scheme of ['https', 'http']) {
        const { error } = await attempt(`${scheme}://${host}:${loopback.port}/`)
        expect([host, error]).toEqual([host, URL.canParse(`https://${host}/`) ? 'blocked-address' : 'connect'])
      }
    expect(requests.length).toBeGreaterThan(5)
    expect([loopback.connections(), six.connections()]).toEqual([0, 0])
  })

  test.each<[string, Zone]>([
    ['a private address', (_, type) => (type === 'A' ? ['10.0.0.1'] : [])],
    ['loopback', (_, type) => (type === 'A' ? ['127.0.0.1'] : [])],
    ['a public and a private address', (_, type) => (type === 'A' ? ['8.8.8.8', '127.0.0.1'] : [])],
    [
      'a public one, and loopback as IPv6',
      (_, type) => (type === 'A' ? ['8.8.8.8'] : [v6('0000:0000:0000:0000:0000:0000:0000:0001')]),
    ],
    ['a mapped one', (_, type) => (type === 'A' ? [] : [v6('0000:0000:0000:0000:0000:ffff:7f00:0001')])],
    ['a compatible one', (_, type) => (type === 'A' ? [] : [v6('0000:0000:0000:0000:0000:0000:7f00:0001')])],
    [
      'one that a gateway turns into IPv4',
      (_, type) => (type === 'A' ? [] : [v6('0064:ff9b:0000:0000:0000:0000:7f00:0001')]),
    ],
    ['the metadata of a cloud', (_, type) => (type === 'A' ? ['169.254.169.254'] : [])],
    ['nothing in particular', (_, type) => (type === 'A' ? ['0.0.0.0'] : [])],
  ])('blocks a name that means %s', async (_, zone) => {
    const listener = await privateListener('127.0.0.1')
    const panel = await startPanel({ outgoing: { resolve: resolverOf([await nameServer(zone)]) } })
    const attempt = await aimed(panel)
    expect((await attempt(`https://receiver.example:${listener.port}/`)).error).toBe('blocked-address')
    expect(listener.connections()).toBe(0)
  })

  test('fails with `dns` if its name does not resolve', async () => {
    const panel = await startPanel({ outgoing: { resolve: resolverOf([await nameServer(() => [])]) } })
    expect((await (await aimed(panel))()).error).toBe('dns')
  })

  test('checks the address at each connection, and does not follow a name that moves to an internal address', async () => {
    const pair = await certificate('receiver.example')
    const outside = await secureReceiver(pair, '127.0.0.2')
    const inside = await privateListener('127.0.0.1', outside.port)
    let address = '127.0.0.2'
    const allows: Guards['allows'] = (one) => one === '127.0.0.2'
    const resolve = resolverOf([await nameServer((_, type) => (type === 'A' ? [address] : []))])
    const panel = await startPanel({ outgoing: { resolve, allows, ca: pair.cert } })
    outside.answer = status(200, '', { connection: 'close' })
    const url = `https://receiver.example:${outside.port}/`
    const attempt = await aimed(panel, url)
    expect(outside.received).toHaveLength(1)
    address = '127.0.0.1'
    expect((await attempt()).error).toBe('blocked-address')
    expect([outside.received.length, inside.connections()]).toEqual([1, 0])
    address = '127.0.0.2'
    expect((await attempt()).http_status).toBe(200)
  })

  test('sends nothing on a connection that has not come where it should', async () => {
    const pair = await certificate('receiver.example')
    const receiver = await secureReceiver(pair)
    let requests = 0
    const guards: Partial<Guards> = {
      resolve: async () => ['127.0.0.1'],
      allows: () => requests++ % 2 === 0,
      ca: pair.cert,
    }
    const panel = await startPanel({ outgoing: guards })
    const attempt = await aimed(panel, `https://receiver.example:${receiver.port}/`)
    expect((await attempt()).error).toBe('blocked-address')
    expect(receiver.received).toEqual([])
  })

  test('verifies the certificate: its name, its time and who signed it', async () => {
    const pair = await certificate('receiver.example')
    const expired = await certificate('receiver.example', Date.now() - 10_000 * hour)
    const receivers = [await secureReceiver(pair), await secureReceiver(expired)]
    const guards = { resolve: async () => ['127.0.0.1'], allows: () => true }
    const trusting = await startPanel({ outgoing: { ...guards, ca: pair.cert + expired.cert } })
    const attempt = await aimed(trusting, `https://receiver.example:${receivers[0]!.port}/`)
    expect((await attempt()).http_status).toBe(200)
    expect((await attempt(`https://another.example:${receivers[0]!.port}/`)).error).toBe('tls')
    expect((await attempt(`https://receiver.example:${receivers[1]!.port}/`)).error).toBe('tls')
    const strict = await startPanel({ outgoing: guards })
    const refused = await aimed(strict, `https://receiver.example:${receivers[0]!.port}/`)
    expect((await refused()).error).toBe('tls')
    expect(receivers[1]!.received).toEqual([])
  })

  test('sends without delay while the name server of another webhook is silent', async () => {
    const resolve = resolverOf([await nameServer(slowOrPrivate)])
    const panel = await startPanel({ outgoing: { resolve } })
    const alice = await panel.account('alice')
    const hook = await webhook(panel, { url: 'https://slow.example/' }, alice.id)
    const attempt = await aimed2(panel, alice.id)
    await panel.post(`/accounts/${alice.id}/webhooks/${hook.id}/test`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await attempt()).toBe('blocked-address')
    await panel.clock.advance(10_000)
    await sent(panel)
    const { items } = (await panel.get(`/accounts/${alice.id}/webhooks/${hook.id}/deliveries`)).body
    expect(items[0].attempts[0].error).toBe('timeout')
  })
})

/** Pings a second webhook of the account and waits only for its result. */
async function aimed2(panel: TestPanel, account: string): Promise<() => Promise<string>> {
  const hook = await webhook(panel, { url: 'https://quick.example/' }, account)
  return async () => {
    const path = `/accounts/${account}/webhooks/${hook.id}`
    await panel.post(`${path}/test`)
    for (;;) {
      const [delivery] = (await panel.get(`${path}/deliveries`)).body.items
      if (delivery.attempts.length > 0) return delivery.attempts[0].error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

describe('server webhook', () => {
  test('reaches 127.0.0.1 over http, as a literal and on no port of the panel', async () => {
    const listener = await privateListener('127.0.0.1')
    const panel = await startPanel({
      outgoing: { resolve: async () => ['127.0.0.1'], panelPorts: () => [listener.port] },
    })
    const hook = await webhook(panel, { url: 'http://127.0.0.1:9/' })
    const urls = [
      `http://127.0.0.1:${listener.port}/`,
      `https://127.0.0.1:${listener.port}/`,
      `http://localhost:${listener.port}/`,
      `http://relay.example:${listener.port}/`,
      `https://relay.example:${listener.port}/`,
      `http://[::ffff:127.0.0.1]:${listener.port}/`,
    ]
    for (const [place, url] of urls.entries()) {
      await panel.store.change(() => void panel.store.sqlite.prepare('UPDATE webhooks SET url = ?').run(url))
      await panel.clock.advance(1000)
      await event(panel, `small${place}`)
      await sent(panel)
      const [delivery] = (await panel.get(`/webhooks/${hook.id}/deliveries?limit=1`)).body.items
      expect([url, delivery.attempts[0].error]).toEqual([url, 'blocked-address'])
    }
    expect(listener.connections()).toBe(0)
  })
})
