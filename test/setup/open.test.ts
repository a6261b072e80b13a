import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openers } from '../../src/host/debian/programs/places.ts'
import { phpmyadmin } from '../../src/host/setup/steps/programs/phpmyadmin.ts'
import { tempDir } from '../host/helpers.ts'
import { facts } from './context.ts'

const php = '/usr/bin/php'
const token = 't'.repeat(43)
const login = { user: 'panel_web_20000', password: 'secret', until: Math.floor(Date.now() / 1000) + 3600 }

/** The response of Debian's PHP with the page that opens links into phpMyAdmin. */
async function opener() {
  const root = tempDir()
  const links = join(root, 'links')
  for (const folder of [links, join(root, 'sessions')]) mkdirSync(folder)
  const page = phpmyadmin.files!(facts).find(({ path }) => path === openers.phpmyadmin)!.content as string
  writeFileSync(join(root, 'open.php'), page.replaceAll(dirname(openers.phpmyadmin), root))
  const port = await freePort()
  const server = spawn(php, [
    '-d',
    `session.save_path=${root}/sessions`,
    '-S',
    `127.0.0.1:${port}`,
    join(root, 'open.php'),
  ])
  onTestFinished(() => void server.kill())
  await listens(server)
  return {
    root,
    links,
    put: (name: string, content: object) =>
      writeFileSync(join(links, createHash('sha256').update(name).digest('hex')), JSON.stringify(content)),
    ask: (query: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port}/open${query}`, { redirect: 'manual', ...init }),
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

/** It reports when it listens. */
const listens = (server: ChildProcess): Promise<void> =>
  new Promise((resolve) => server.stderr!.on('data', (text) => String(text).includes('started') && resolve()))

test.runIf(existsSync(php))('lets in one of many concurrent requests for a link', async () => {
  const { root, links, put, ask } = await opener()
  put(token, login)
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(`?token=${token}`)))
  const [first] = answers.filter(({ status }) => status === 302)
  expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array(7).fill(403)])
  expect([first!.headers.get('location'), first!.headers.get('cache-control')]).toEqual([
    '/',
    expect.stringContaining('no-store'),
  ])
  expect(first!.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^PanelSignon=.*; path=\/; secure; HttpOnly; SameSite=Lax$/i),
  ])
  const [session] = readdirSync(join(root, 'sessions'))
  expect(readFileSync(join(root, 'sessions', session!), 'utf8')).toBe(
    'PMA_single_signon_user|s:15:"panel_web_20000";PMA_single_signon_password|s:6:"secret";',
  )
  expect(readdirSync(links)).toEqual([])
})

test.runIf(existsSync(php))(
  'a link is not opened by HEAD, before it is requested, or after it has expired',
  async () => {
    const { links, put, ask } = await opener()
    put(token, login)
    const early = [{ 'Sec-Purpose': 'prefetch;prerender' }, { Purpose: 'prefetch' }, { 'X-Moz': 'prefetch' }]
    for (const headers of early) expect((await ask(`?token=${token}`, { headers })).status).toBe(403)
    const head = await ask(`?token=${token}`, { method: 'HEAD' })
    expect([head.status, head.headers.get('allow'), readdirSync(links).length]).toEqual([405, 'GET', 1])
    put('o'.repeat(43), { ...login, until: 1 })
    const late = await ask(`?token=${'o'.repeat(43)}`)
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('has been used, has expired')])
    expect((await ask(`?token=${token}`)).status).toBe(302)
  },
)

test.runIf(existsSync(php))('an invalid token names no file', async () => {
  const { ask, links } = await opener()
  writeFileSync(join(links, 'x'), JSON.stringify(login))
  for (const query of ['', '?token=', '?token[]=x', '?token=../links/x', `?token=${token}%0a`, `?token=${token}x`])
    expect((await ask(query)).status, query).toBe(403)
  expect(readdirSync(links)).toEqual(['x'])
})

test.runIf(existsSync(php))('a session that another link started in this browser is not continued', async () => {
  const { put, ask } = await opener()
  put(token, login)
  put('o'.repeat(43), { ...login, user: 'panel_web_20001' })
  const cookieOf = (answer: Response): string => answer.headers.getSetCookie().at(-1)!.split(';')[0]!
  const first = cookieOf(await ask(`?token=${token}`))
  const again = await ask(`?token=${'o'.repeat(43)}`, { headers: { cookie: `${first}; phpMyAdmin_https=old` } })
  expect(cookieOf(again)).not.toBe(first)
  expect(again.headers.getSetCookie()[0]).toMatch(/^phpMyAdmin_https=deleted; expires=Thu, 01 Jan 1970/i)
})
