import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { turns } from '../../clock.ts'
import { logs } from '../../logs/lines.ts'
import { type Browser, executablePath } from '../browser/browser.ts'
import { indexedBackup, makeVisited, pages } from '../map.ts'
import { origin, textOf, type Visitor } from '../visitor.ts'
import { hostile, plant, writeLogs } from './plant.ts'
import { type Reached, startReached } from './reached.ts'

/** What would be markup if it were not escaped. */
const live = /<img(?! src="\/assets\/brand\/)|<script(?! type="module" src="\/assets\/)|\son\w+="|href="javascript:/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must never be sent as it is
const raw = /[\u0000\u001b]/
/** A field contains what was typed. */
const withoutFields = (body: string): string => body.replace(/<textarea[\s\S]*?<\/textarea>| value="[^"]*"/g, '')

/** Whether a cell is a formula: what starts like one is a number, or has an apostrophe before it. */
const formula = /^"?[=+@\t\r-][^0-9]/

const hrefsIn = (body: string): string[] =>
  [...body.matchAll(/\shref="(\/(?:user|admin)[^"#]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'))

/** Pages of one kind differ only in names. */
const kindOf = (address: string): string => {
  const { pathname, searchParams } = new URL(address, origin)
  const parts = pathname.split('/').map((part) => (/^[0-9A-Z]{26}$|[@.%]|^\d+$/.test(part) ? '*' : part))
  return `${parts.join('/')}?${searchParams.get('do') ?? searchParams.get('kind') ?? ''}`
}
const maxOfKind = 3

interface Seen {
  readonly at: string
  readonly who: Visitor
  readonly body: string
}

describe('text that tenants and strangers write', () => {
  let reached: Reached
  let visited: Awaited<ReturnType<typeof makeVisited>>
  const seen: Seen[] = []
  let wrong: string[] = []
  beforeEach(() => {
    wrong = []
  })

  const check = (at: string, status: number, body: string): void => {
    const found = live.exec(body)?.[0] ?? raw.exec(withoutFields(body))?.[0]
    if (status !== 200 || found !== undefined)
      wrong.push(`${at}: ${status} ${JSON.stringify(found ?? textOf(body).slice(0, 200))}`)
  }

  /** Every page of a panel's map, and some of each kind that they link to. */
  async function look(side: 'user' | 'admin'): Promise<void> {
    const kinds = new Map<string, number>()
    const own = pages.filter(({ base }) => base.startsWith(`/${side}`))
    const waiting = own.map((page) => ({ at: visited.addressOf(page), who: visited.whoSees(page.base), deep: 0 }))
    if (side === 'user') waiting.push({ at: '/user/apps/loud/releases/1', who: visited.customer, deep: 0 })
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { at, who, deep } = next
      const count = (kinds.get(kindOf(at)) ?? 0) + 1
      if (deep > 0 && (count > maxOfKind || /format=|file=|say=|order=/.test(at))) continue
      kinds.set(kindOf(at), count)
      const { status, body } = await who.get(at)
      if (deep === 0 || status !== 404) check(at, status, body)
      seen.push({ at, who, body })
      if (deep > 0 || !/onerror|\.exe|escape|window\.ran/.test(body)) continue
      for (const href of hrefsIn(body.slice(body.indexOf('<main')))) waiting.push({ at: href, who, deep: 1 })
    }
  }

  beforeAll(async () => {
    reached = await startReached({ trustTenants: true })
    visited = await makeVisited(reached.panel)
    await plant(reached, visited.world)
  }, 60_000)
  afterAll(() => reached.end())

  const lists = (text: string) => seen.filter(({ body }) => body.includes(text)).map(({ at }) => at)

  test.each([
    ['user', 'cron dns email files/tmp logs visitors webhooks backups apps ssh/keys tokens ssl/requests activity'],
    ['admin', 'accounts packages audit events feature-lists acls tokens webhooks jobs'],
  ] as const)(
    'shows the text as text on every page of the %s panel',
    async (side, areas) => {
      await look(side)
      expect(wrong).toEqual([])
      const listing = lists('onerror')
      const lacking = areas.split(' ').filter((area) => !listing.some((at) => at.startsWith(`/${side}/${area}`)))
      expect(lacking).toEqual([])
    },
    60_000,
  )

  test('does not run the text as a formula in a spreadsheet, and downloads it', async () => {
    const onFailPoint: string[] = []
    let files = 0
    for (const { at, who, body } of seen) {
      if (!body.includes('format=csv')) continue
      const csv = await who.get(`${at}${at.includes('?') ? '&' : '?'}format=csv`)
      const cells = csv.body.split(/\r\n|","|,/).filter((cell: string) => formula.test(cell))
      if (csv.status !== 200 || cells.length > 0) onFailPoint.push(`${at}: ${csv.status} ${cells[0]}`)
      if (!csv.headers.get('content-disposition')?.startsWith('attachment')) onFailPoint.push(`${at} is shown`)
      if (csv.headers.get('content-security-policy') !== 'sandbox') onFailPoint.push(`${at} may run`)
      files++
    }
    expect([onFailPoint, files > 30]).toEqual([[], true])
  })

  test('shows the text as text in search, both as the query and in the results', async () => {
    const { customer, root, world } = visited
    const names = [...hostile.map((text) => text.slice(0, 60)), 'alice', 'x', world.alice.id]
    for (const [side, who] of [
      ['user', customer],
      ['admin', root],
    ] as const)
      for (const q of names)
        for (const headers of [{}, { 'X-Part': 'hits' }]) {
          const { status, body } = await who.get(`/${side}/search?${new URLSearchParams({ q })}`, headers)
          expect([side, q, status, live.exec(body)?.[0], raw.test(withoutFields(body))]).toEqual([
            side,
            q,
            200,
            undefined,
            false,
          ])
          await reached.panel.clock.advance(100)
        }
  })

  test('shows the text as text in live updates, with each of its lines a line of the stream', async () => {
    const { panel } = reached
    const followed = seen.filter(({ body }) => body.includes('data-lines'))
    writeLogs(panel)
    const sent: string[] = []
    for (const { at, who, body: page } of followed) {
      const url = new URL(at.replace(/^\/(user|admin)\//, '/$1/live/'), origin)
      url.searchParams.set('after', /data-after="([^"]+)"/.exec(page)?.[1] ?? '0.0')
      let over = false
      const stream = who.get(url.pathname + url.search).finally(() => {
        over = true
      })
      while (!over) await panel.clock.advance(5_000)
      const { status, body } = await stream
      check(`the stream of ${at}`, status, body)
      const odd = body
        .split('\n')
        .filter((line: string) => !/^(event: (part|line|end)|id: \S+|data: .*|retry: \d+|)$/.test(line))
      if (odd.length > 0) wrong.push(`the stream of ${at}: ${odd[0]}`)
      if (/onerror/.test(body)) sent.push(at)
    }
    expect(wrong).toEqual([])
    const pagesOfLines = [/^\/user\/logs\//, /^\/user\/apps\/[^/]+\/log/, /\/releases\//, /^\/admin\/jobs\//]
    expect(pagesOfLines.filter((page) => !sent.some((at) => page.test(at)))).toEqual([])
  }, 60_000)

  test.skipIf(!executablePath).each([0, 1, 2])(
    'runs the text nowhere in a browser, where only the panel turns text into markup (%i)',
    async (shard) => {
      const browser: Browser = await reached.open('alice')
      const { page } = browser
      try {
        const listing = lists('onerror').filter((at) => at.startsWith('/user'))
        const kinds = [...new Map(listing.map((at) => [kindOf(at), at])).values()]
        for (const at of kinds.filter((_, index) => index % 3 === shard)) {
          await page.goto(origin + at)
          expect([at, await page.evaluate('window.ran'), await page.locator('img').count()]).toEqual([at, undefined, 0])
        }
        expect(browser.complaints).toEqual([])
        expect(await page.evaluate(refusals)).toEqual(['policy', 'eval', 'sink', 'style'])
      } finally {
        await browser.close()
      }
    },
    60_000,
  )

  test.skipIf(!executablePath)(
    'does not run the text either when it arrives live, or is found while typing',
    async () => {
      const browser: Browser = await reached.open('alice')
      const { page } = browser
      const { panel } = reached
      try {
        const { domain_id } = (await panel.get(`/accounts/${visited.world.alice.id}/logs`)).body.items[0]
        await page.goto(`${origin}/user/logs/${domain_id}?kind=error`)
        await page.locator('[data-follow]').waitFor()
        appendFileSync(logs(panel, 'alice/alice.example.error.log'), `${hostile.join('\n')}\nthe last line\n`)
        const last = page.locator('[data-lines] li', { hasText: 'the last line' })
        while ((await last.count()) === 0) await panel.clock.advance(1_000)
        for (const text of hostile.slice(0, 3)) {
          await page.keyboard.press('Control+k')
          await page.locator('dialog input').fill(text)
          await turns(20)
          await page.waitForLoadState('networkidle')
          await page.keyboard.press('Escape')
        }
        expect([await page.evaluate('window.ran'), await page.locator('img').count()]).toEqual([undefined, 0])
        expect(browser.complaints).toEqual([])
      } finally {
        await browser.close()
      }
    },
    60_000,
  )

  test('shows the text as text in what a backup contains', async () => {
    visited.browsed.set('/accounts/{id}/backups/{bid}', await indexedBackup(reached.panel, visited.world.alice.id))
    const contentPages = pages.filter(({ screen }) => screen.shows === 'listBackupEntries')
    const bodies: string[] = []
    for (const page of contentPages) {
      const at = visited.addressOf(page)
      const { status, body } = await visited.whoSees(page.base).get(at)
      check(at, status, body)
      bodies.push(body)
    }
    expect(wrong).toEqual([])
    expect(bodies.some((body) => body.includes('onerror'))).toBe(true)
  }, 60_000)
})

/** The ways to run or render a text that the page blocks. */
const refusals = `(async () => {
  const refused = []
  // Within the call itself the browser's tools may run any text.
  await new Promise((resolve) => setTimeout(resolve))
  const attempt = (name, act) => { try { act() } catch { refused.push(name) } }
  attempt('policy', () => trustedTypes.createPolicy('another', { createHTML: (text) => text }))
  attempt('eval', () => (0, eval)('window.ran = 1'))
  attempt('sink', () => { document.body.innerHTML = '<p>' })
  const styled = document.createElement('p')
  styled.setAttribute('style', 'position: fixed')
  document.body.append(styled)
  if (getComputedStyle(styled).position === 'static') refused.push('style')
  return refused
})()`
