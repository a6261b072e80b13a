import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { account, apply, bench, siteOf } from './helpers.ts'
import { nginx, serve } from './nginx.ts'

interface Attempt {
  readonly method?: string
  readonly from?: string
  readonly host?: string
  readonly claims?: string
}

/** Two sites that answer all, by a socket that names the address of each connection. */
async function served() {
  const { driver, root } = bench()
  const sites = ['one.example', 'two.example'].map((name) => siteOf(name, { handler: 'php' }))
  await apply(driver, account({ parts: { web: { sites } } }))
  const socketPath = await serve(root, 'set_real_ip_from unix:; real_ip_header X-Connection;')
  return (path: string, { method = 'POST', from = '203.0.113.7', host = 'one.example', claims }: Attempt = {}) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host, 'x-connection': from, ...(claims !== undefined && { 'x-forwarded-for': claims }) }
      const call = request({ socketPath, path, method, headers, agent: false }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode!))
      })
      call.once('error', reject).end()
    })
}

type Ask = Awaited<ReturnType<typeof served>>

/** How many of so many requests were not slowed down. */
async function passed(ask: Ask, count: number, path: string, attempt: (n: number) => Attempt = () => ({})) {
  let total = 0
  for (let n = 0; n < count; n++) if ((await ask(path, attempt(n))) !== 429) total++
  return total
}

describe.skipIf(!existsSync(nginx))('guessing passwords of a site', () => {
  test('is slowed down after 20 of an address, there and for it alone', async () => {
    const ask = await served()
    expect(await passed(ask, 100, '/wp-login.php')).toBe(20)
    expect(await ask('/wp-login.php', { from: '203.0.113.8' })).not.toBe(429)
    expect(await ask('/wp-login.php', { host: 'two.example' })).not.toBe(429)
    expect(await ask('/wp-login.php', { method: 'GET' })).not.toBe(429)
    expect(await ask('/')).not.toBe(429)
    expect(await ask('/xmlrpc.php')).not.toBe(429)
    expect(await passed(ask, 100, '/xmlrpc.php')).toBe(59)
  })

  test('counts no header, no query and no other spelling of the path', async () => {
    const ask = await served()
    const paths = ['/wp-login.php?n=1', '//wp-login.php', '/./wp-login.php', '/wp%2dlogin.php', '/wp-login.php/x']
    expect(await passed(ask, 100, '/')).toBe(100)
    const first = await passed(ask, 20, paths[0]!, (n) => ({ claims: `198.51.100.${n}` }))
    expect(first).toBe(20)
    for (const path of paths) expect([path, await ask(path, { claims: '198.51.100.99' })]).toEqual([path, 429])
    expect(await passed(ask, 30, '/blog/wp-login.php', (n) => ({ from: `192.0.2.${n}` }))).toBe(30)
  })

  test('takes a half of IPv6 for one address, however it is written, and never the machine itself', async () => {
    const ask = await served()
    const of = (prefix: string) => (n: number) => ({ from: `${prefix}${(n + 1).toString(16)}` })
    expect(await passed(ask, 50, '/wp-login.php', of('2001:db8:1:2:a:b:c:'))).toBe(20)
    expect(await ask('/wp-login.php', { from: '2001:db8:1:2::5' })).toBe(429)
    expect(await ask('/wp-login.php', { from: '2001:db8:1:3::5' })).not.toBe(429)
    expect(await passed(ask, 50, '/wp-login.php', of('2001:db8::'))).toBe(20)
    for (const from of ['127.0.0.1', '::1'])
      expect([from, await passed(ask, 50, '/wp-login.php', () => ({ from }))]).toEqual([from, 50])
  })
})
