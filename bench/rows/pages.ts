import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import type { Load } from '../load/load.ts'
import { sendLoad } from '../load/node.ts'
import { ask } from '../panel.ts'
import type { Row } from '../row.ts'
import { bundleOf } from '../screenless.ts'
import { memoryOf, type Server, startServer } from '../server.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const password = 'correct horse battery'
const home = '/admin/'
const accounts = '/admin/accounts'

/** A browser's cookie, signed in as root. */
async function signedIn({ url }: Server, directory: string): Promise<string> {
  await ask(directory, 'PUT', '/root/password', { new_password: password })
  const { origin } = new URL(url)
  const answer = await fetch(`${origin}/admin/login`, {
    method: 'POST',
    headers: { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: 'root', password }).toString(),
    redirect: 'manual',
  })
  const [cookie = ''] = answer.headers.getSetCookie().map((line) => line.split(';')[0]!)
  if (answer.status !== 303) throw new Error(`sign-in: ${answer.status}`)
  return cookie
}

/** The pages that the navigation of these leads to; those that ask a host which has nothing of the account are left out. */
async function pagesBeside({ url }: Server, cookie: string, from: readonly string[]): Promise<string[]> {
  const get = (path: string) => fetch(new URL(path, url), { headers: { Cookie: cookie } })
  const paths = new Set<string>()
  for (const path of from) {
    const [nav = ''] = /<nav class="nav".*?<\/nav>/s.exec(await (await get(path)).text()) ?? []
    for (const [, href] of nav.matchAll(/<a href="(\/[^"]+)"/g)) {
      const { ok } = await get(href!)
      if (ok && ![...from, accounts].includes(href!)) paths.add(href!)
    }
  }
  return [...paths]
}

/** As often as a session may search in a second. */
async function searchPart({ url }: Server, cookie: string): Promise<Load> {
  await sleep(1000 - (Date.now() % 1000))
  const { href } = new URL('/admin/search?q=maple', url)
  return sendLoad({ url: href, cookie, headers: { 'X-Part': 'hits' }, max: 10, connections: 1, seconds: 1 })
}

/** One person who looks at page after page: how long each takes, with nothing else to do. */
export const measure = async ({ small, big }: World): Promise<Row[]> => {
  const [few, many] = [copyOf(small), copyOf(big)]
  const rows = await withPanel(few, (first) =>
    withPanel(many, async (second) => {
      const cookies = [await signedIn(first, few.directory), await signedIn(second, many.directory)] as const
      const look =
        (server: Server, cookie: string, path: string, seconds = 1) =>
        () =>
          sendLoad({ url: new URL(path, server.url).href, cookie, connections: 1, seconds })
      const account = `${accounts}/${many.account.username}`
      const others = await pagesBeside(second, cookies[1], [home, account])
      const taken = await inTurn<Load>({
        page: look(second, cookies[1], accounts),
        few: look(first, cookies[0], accounts),
        api: look(second, cookies[1], '/api/v1/accounts?per_page=50'),
        home: look(second, cookies[1], home),
        account: look(second, cookies[1], account),
        search: () => searchPart(second, cookies[1]),
        ...Object.fromEntries(others.map((path) => [path, look(second, cookies[1], path, 0.3)])),
      })
      for (const [name, loads] of Object.entries(taken))
        if (loads.some(({ failed }) => failed > 0)) throw new Error(`${name} failed`)
      const p50 = (name: string) => taken[name]!.map((one) => one.p50)
      const row = (what: string, name: string, ratios: Row['ratios']): Row => ({
        what,
        value: rounded(median(p50(name))),
        unit: 'ms',
        p50: rounded(median(p50(name))),
        p99: rounded(median(taken[name]!.map((one) => one.p99))),
        ratios,
      })
      const p50Of = (name: string) => median(p50(name))
      const slowest = others.reduce((one, other) => (p50Of(other) > p50Of(one) ? other : one))
      const beside = (name: string) => ({ "the API's answer": ratioOf(p50(name), p50('api')) })
      return [
        row('page of 50 of 100,000 accounts', 'page', {
          ...beside('page'),
          'page at 1,000': ratioOf(p50('page'), p50('few')),
        }),
        row("the admin's home, 100,000 accounts", 'home', beside('home')),
        row("an account's home", 'account', beside('account')),
        row('what the search box shows', 'search', beside('search')),
        row(`the slowest of ${others.length} other pages, ${slowest}`, slowest, beside(slowest)),
      ]
    }),
  )
  return [...rows, ...(await memory(small.directory))]
}

const starts = 5
const settle = 2_000

/** What screens cost a server without visitors, and what the first page takes. */
async function memory(directory: string): Promise<Row[]> {
  const idle = async (bundle: string, visit: boolean): Promise<number> => {
    const server = await startServer([bundle, copyOf({ directory } as never).directory])
    try {
      const { origin, port } = new URL(server.url)
      if (visit) await (await fetch(`${origin.replace(/\/\/.*/, `//127.0.0.1:${port}`)}/user/login`)).text()
      await sleep(settle)
      return memoryOf(server.pid).now
    } finally {
      await server.stop()
    }
  }
  const [own, bare] = [await bundleOf('screens'), await bundleOf('none')]
  const taken = await inTurn<number>(
    { none: () => idle(bare, false), screens: () => idle(own, false), visited: () => idle(own, true) },
    starts,
  )
  const row = (what: string, name: string, other: string): Row => ({
    what,
    value: rounded(median(taken[name]!) - median(taken[other]!)),
    unit: 'MB more',
    ratios: { [other === 'none' ? 'a server without screens' : 'before it']: ratioOf(taken[name]!, taken[other]!) },
  })
  return [
    row('memory, idle, before the first page', 'screens', 'none'),
    row('memory, after the first page', 'visited', 'screens'),
  ]
}
