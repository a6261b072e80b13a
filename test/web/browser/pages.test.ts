import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { screens } from '../../../src/areas/index.ts'
import { type Browser, executablePath } from './browser.ts'
import { pagesFrom } from './crawl.ts'
import { type Site, startSite } from './site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong, each with where it is. */
const faults = async (page: Page): Promise<string[]> => {
  await page.evaluate(`window.axe ?? (() => { ${axe} })()`)
  const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
  const { violations } = found as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
  }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  )
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** How axe looks at pages: each page in one of these ways, in turn; in all of them with PANEL_BROWSER=all. */
const ways = [
  { width: 1280, colorScheme: 'light' },
  { width: 320, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'dark' },
  { width: 320, colorScheme: 'light' },
] as const
const waysOf = (index: number) =>
  process.env['PANEL_BROWSER'] === 'all' ? ways : [ways[Math.floor(index / shards) % ways.length]!]

const widths = [1280, 390, 320] as const

/** What is wrong with a page; nothing where all is well. */
async function judge({ page, complaints }: Browser, address: string, index: number): Promise<string[]> {
  complaints.length = 0
  await page.setViewportSize({ width: 1280, height: 800 })
  const response = await page.goto(address)
  const wrong = [...complaints]
  if (response?.status() !== 200) wrong.push(`status ${response?.status()}`)
  if ((await page.locator('h1').count()) !== 1) wrong.push('not one h1')
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    if ((await overflow(page)) > 0) wrong.push(`wider than ${width}: ${await widest(page)}`)
  }
  for (const { width, colorScheme } of waysOf(index)) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    wrong.push(...(await faults(page)))
  }
  return wrong
}

/** What sticks out. */
const widest = (page: Page): Promise<string> =>
  page.evaluate(`[...document.body.querySelectorAll('*')]
    .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map((one) => one.outerHTML.slice(0, 80)).slice(0, 3).join(' | ')`)

const shards = 10
const ofPanel = { user: 'account', admin: 'server' } as const

describe.skipIf(!executablePath)('in a real browser each page', () => {
  let site: Site
  beforeAll(async () => {
    site = await startSite()
  }, 60_000)
  afterAll(() => site?.end())

  describe.each(['user', 'admin'] as const)('of %s', (panel) => {
    let browser: Browser
    let pages: string[]
    beforeAll(async () => {
      browser = await site.open(panel)
      const declared = (await screens()).filter(({ of, only }) => of === ofPanel[panel] && (only ?? panel) === panel)
      const known = declared.filter(({ path }) => !path.includes('{')).map(({ path }) => `/${panel}${path}`)
      pages = await pagesFrom(browser.context, site.origin, `/${panel}/`, known)
    }, 60_000)
    afterAll(() => browser?.close())

    test.each([...Array(shards).keys()])(
      'is whole, quiet, readable and narrow enough (%i)',
      async (shard) => {
        const wrong: string[] = []
        for (const [index, path] of pages.entries()) {
          if (index % shards !== shard) continue
          for (const fault of await judge(browser, site.origin + path, index)) wrong.push(`${path}: ${fault}`)
        }
        expect(wrong).toEqual([])
      },
      60_000,
    )

    test('asks for nothing of another origin', () => {
      expect(browser.addresses.filter((address) => !address.startsWith(site.origin))).toEqual([])
    })
  })
})
