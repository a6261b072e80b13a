import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { place, startServer } from '../serve/server.ts'

interface Client {
  call(name: string, query: Record<string, string | number>, done: (error: unknown, answer: Json) => void): void
}
const { createClient } = createRequire(import.meta.url)('cpanel-lib') as {
  createClient(options: Record<string, unknown>): Client
}

describe.each([0, 1])('cpanel-lib over TLS, version %i', (version) => {
  test('drives the full lifecycle of an account', async () => {
    const server = await startServer(place(), { whmPort: 0 })
    const scopes = ['accounts:write', 'packages:write']
    const { secret } = (await server.send('POST', '/tokens', { name: 'billing', scopes })).body
    const port = /Clients of WHM: https:\/\/[^:]+:(\d+)/.exec(server.out)![1]
    const client = createClient({ host: '127.0.0.1', port, username: 'root', accessKey: secret, ignoreCertError: true })
    const call = (name: string, query: Record<string, string> = {}) =>
      new Promise<Json>((resolve, reject) =>
        client.call(name, { 'api.version': version, ...query }, (error, answer) =>
          error ? reject(error) : resolve(answer),
        ),
      )
    const well = (answer: Json): unknown =>
      version === 1 ? answer.metadata.result : (answer.result ?? answer.passwd ?? [answer])[0].status
    const data = (answer: Json): Json => (version === 1 ? answer.data : answer)
    const user = 'bob'
    expect(well(await call('addpkg', { name: 'gold', quota: '100' }))).toBe(1)
    expect(well(await call('createacct', { username: user, domain: 'bob.example', password: 'correct horse 1' }))).toBe(
      1,
    )
    expect(data(await call('listaccts')).acct.map((row: Json) => row.user)).toEqual([user])
    expect(well(await call('suspendacct', { user, reason: 'unpaid' }))).toBe(1)
    expect(data(await call('accountsummary', { user })).acct[0]).toMatchObject({
      suspended: 1,
      suspendreason: 'unpaid',
    })
    expect(well(await call('unsuspendacct', { user }))).toBe(1)
    expect(well(await call('changepackage', { user, pkg: 'gold' }))).toBe(1)
    expect(data(await call('accountsummary', { user })).acct[0]).toMatchObject({ suspended: 0, plan: 'gold' })
    expect(well(await call('passwd', { user, pass: 'battery staple 2' }))).toBe(1)
    expect(well(await call('removeacct', { user }))).toBe(1)
    expect(data(await call('listaccts')).acct).toEqual([])
    expect(well(await call('accountsummary', { user }))).toBe(0)
    expect(well(await call('suspendacct', { user }))).toBe(0)
  })
})
