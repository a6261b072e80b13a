import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { limitByAddress, maxConnections } from '../../src/server/connections.ts'

class Connection extends EventEmitter {
  readonly remoteAddress: string
  open = true

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.open = false
    this.emit('close')
  }
}

/** A server whose connections a test makes. */
function listening() {
  const server = new EventEmitter()
  let drops = 0
  server.on('drop', () => drops++)
  limitByAddress(server as Server, (address) => address === '192.0.2.80')
  const connect = (address: string): Connection => {
    const socket = new Connection(address)
    server.emit('connection', socket as unknown as Socket)
    return socket
  }
  const openOf = (count: number, addressOf: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => connect(addressOf(n))).filter(({ open }) => open)
  return { connect, openOf, drops: () => drops }
}

const share = Math.floor((maxConnections() ?? Number.POSITIVE_INFINITY) / 4)
const limit = Math.min(512, share)

test('an address has a limited number of open connections, and others are unaffected', () => {
  const { connect, openOf, drops } = listening()
  const open = openOf(limit + 10, () => '198.51.100.7')
  expect([open.length, drops()]).toEqual([limit, 10])
  expect(connect('::ffff:198.51.100.7').open).toBe(false)
  expect(connect('198.51.100.8').open).toBe(true)
  open[0]!.destroy()
  expect(connect('198.51.100.7').open).toBe(true)
  expect(connect('198.51.100.7').open).toBe(false)
})

test('the addresses of one IPv6 /64 count together', () => {
  const { connect, openOf } = listening()
  expect(openOf(limit + 10, (n) => `2001:db8::${(n + 1).toString(16)}`)).toHaveLength(limit)
  expect(connect('2001:db8::ffff').open).toBe(false)
  expect(connect('2001:db8:0:1::1').open).toBe(true)
})

test.each(['127.0.0.1', '::1', '192.0.2.80'])('allows more connections to %s, which stands for many', (address) => {
  const { openOf } = listening()
  const more = Math.min(16_384, 3 * share)
  expect(openOf(more + 1, () => address)).toHaveLength(more)
})
