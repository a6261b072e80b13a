import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { exchangeBytes } from '../../src/cli/request/bytes.ts'
import { type Client, readAnswer } from '../../src/cli/request/client.ts'
import type { ServerTarget } from '../../src/cli/target/target.ts'

test('a connection ends with an answer that came before the end of the file was read', async () => {
  const server = createServer((request, response) => {
    request.on('end', () => response.end('{}')).resume()
  })
  server.keepAliveTimeout = 0
  const closed = new Promise<void>((resolve) => server.on('connection', (socket) => socket.on('close', resolve)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const target: ServerTarget = { url, label: 'it', source: 'the test' }
  const stream = new Readable({ read() {} })
  stream.push('all of it')
  const incoming = await exchangeBytes({ target } as Client, { method: 'PATCH', path: '/x' }, { stream, size: 9 })
  expect((await readAnswer(incoming, target)).body).toEqual({})
  await closed
})
