import { request } from 'node:https'
import { expect, test } from 'vitest'
import { place, type ServerProcess, startServer } from '../serve/server.ts'
import { password } from './visitor.ts'

interface Got {
  readonly status: number
  readonly text: string
  readonly cookie: string
}

/** Sends a form with an announced number of bytes, but only its `head`. */
function send(server: ServerProcess, path: string, head: string, length: number, headers: object): Promise<Got> {
  const type = 'application/x-www-form-urlencoded'
  const all = { Accept: 'text/html', 'Content-Type': type, 'Content-Length': String(length), ...headers }
  const to = { host: '127.0.0.1', port: server.port, method: 'POST', path, headers: all, rejectUnauthorized: false }
  return new Promise((resolve, reject) => {
    const call = request(to, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      const cookie = (reply.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
      reply.on('end', () => resolve({ status: reply.statusCode!, text, cookie }))
    })
    call.on('error', reject)
    call.write(head)
    if (head.length === length) call.end()
  })
}

test('a form of 5 MB from another site or another session is refused before it is read', async () => {
  const server = await startServer(place(), { hostname: 'localhost' })
  await server.send('POST', '/accounts', { username: 'alice', domain: 'alice.example', password })
  const Origin = `https://127.0.0.1:${server.port}`
  const form = new URLSearchParams({ username: 'alice', password }).toString()
  const { cookie: Cookie } = await send(server, '/user/login', form, form.length, { Origin })
  const head = `do=importDnsZone&csrf_token=wrong&zone_file=${'x'.repeat(100_000)}`
  for (const from of [Origin, 'https://evil.example']) {
    const refused = await send(server, '/user/dns/alice.example/text', head, 5_000_000, { Origin: from, Cookie })
    expect([refused.status, refused.text.includes('xxxx')]).toEqual([403, false])
  }
}, 60_000)
