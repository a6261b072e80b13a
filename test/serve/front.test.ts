import { statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { place, startServer } from './server.ts'

interface FrontRequest {
  readonly path: string
  readonly headers: Record<string, string>
}

const ask = (socketPath: string, { path, headers }: FrontRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = request({ socketPath, path, headers, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode!)
    })
    call.once('error', reject).end()
  })

test("nginx's socket is for its group, and makes nobody root", async () => {
  const dir = place()
  const frontSocket = join(dir, 'front.sock')
  const server = await startServer(dir, { frontSocket })
  expect(statSync(frontSocket).mode & 0o777).toBe(0o660)
  expect(statSync(join(dir, 'panel.sock')).mode & 0o777).toBe(0o600)
  const body = { name: 'one', scopes: ['full-access'], allowed_ips: ['192.0.2.7'] }
  const { secret } = (await server.send('POST', '/tokens', body)).body
  const from = (forwarded: string) => ({ 'X-Forwarded-For': forwarded, Authorization: `Bearer ${secret}` })
  const path = '/api/v1/token'
  expect(await ask(frontSocket, { path: '/api/v1/accounts', headers: { 'X-Forwarded-For': '192.0.2.7' } })).toBe(401)
  expect(await ask(frontSocket, { path, headers: from('203.0.113.9, 192.0.2.7') })).toBe(200)
  expect(await ask(frontSocket, { path, headers: from('192.0.2.7, 203.0.113.9') })).toBe(403)
  expect(await ask(frontSocket, { path, headers: { Authorization: `Bearer ${secret}` } })).toBe(400)
})
