import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { screens } from '../../../src/areas/index.ts'
import { sideOf } from '../../../src/web/kit/page-scope.ts'
import { problemsInLooks } from './axe.ts'
import { type Browser, executablePath } from './browser.ts'
import { pagesFrom } from './crawl.ts'
import { type Site, startSite } from './site.ts'

/** What is wrong with a page; empty if nothing is. */
async function check({ page, complaints }: Browser, address: string): Promise<string[]> {
  complaints.length = 0
  await page.setViewportSize({ width: 1280, height: 800 })
  const response = await page.goto(address)
  const wrong = [...complaints]
  if (response?.status() !== 200) wrong.push(`status ${response?.status()}`)
  if ((await page.locator('h1').count()) !== 1) wrong.push('not one h1')
  return [...wrong, ...(await problemsInLooks(page))]
}

/** What is not a separate page. */
const odd: Readonly<Record<'user' | 'admin', readonly (readonly [string, ((page: Page) => Promise<void>)?])[]>> = {
  user: [
    ['/user/nowhere'],
    ['/user/email/new', saved],
    ['/user/dns/alice.example/new', saved],
    ['/user/cron', searched],
    ['/problems/validation'],
    ['/user/auth/sso?token=none'],
  ],
  admin: [
    ['/admin/accounts/alice/settings?do=terminateAccount'],
    ['/admin/accounts/new', saved],
    ['/admin/', searched],
    ['/admin/accounts/nobody/email'],
  ],
}

async function saved(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.locator('main form button[type=submit]').first().click()])
  await page.locator('.faults').waitFor()
}

async function searched(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.locator('dialog input').fill('alice')
  await page.locator('dialog a').first().waitFor()
}

const shards = 10
const ofPanel = { user: 'account', admin: 'server' } as const

describe.skipIf(!executablePath)('pages in a real browser', () => {
  let site: Site
  beforeAll(async () => {
    site = await startSite()
  }, 60_000)
  afterAll(() => site?.end())

  describe.each(['user', 'admin'] as const)('pages of %s', (panel) => {
    let browser: Browser
    let pages: string[]
    beforeAll(async () => {
      browser = await site.open(panel)
      const all = await screens()
      const declared = all.filter((one) => sideOf(one) === ofPanel[panel] && (one.only ?? panel) === panel)
      const known = declared.filter(({ path }) => !path.includes('{')).map(({ path }) => `/${panel}${path}`)
      pages = await pagesFrom(browser.context, site.origin, `/${panel}/`, known)
    }, 60_000)
    afterAll(() => browser?.close())

    test.each([...Array(shards).keys()])(
      'shows each page complete, quiet, readable and narrow enough (%i)',
      async (shard) => {
        const wrong: string[] = []
        for (const [index, path] of pages.entries()) {
          if (index % shards !== shard) continue
          for (const error of await check(browser, site.origin + path)) wrong.push(`${path}: ${error}`)
        }
        expect(wrong).toEqual([])
      },
      60_000,
    )

    test('shows each page readable when it refuses, shows errors, asks for confirmation, or has its search open', async () => {
      const { page } = browser
      const wrong: string[] = []
      for (const [address, act] of odd[panel]) {
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.goto(site.origin + address)
        await act?.(page)
        wrong.push(...(await problemsInLooks(page)).map((error) => `${address}: ${error}`))
      }
      expect(wrong).toEqual([])
    }, 60_000)

    test('shows a readable consent to an AI agent', async () => {
      const { page } = browser
      await site.make('PATCH', '/settings', { mcp_http: true })
      const redirect_uri = 'https://agent.example/callback'
      const made = await page.request.post(`${site.origin}/oauth/register`, { data: { redirect_uris: [redirect_uri] } })
      const query = new URLSearchParams({
        client_id: (await made.json()).client_id,
        redirect_uri,
        response_type: 'code',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      })
      expect(await check(browser, `${site.origin}/oauth/authorize?${query}`)).toEqual([])
    }, 60_000)

    test('loads nothing from another origin', () => {
      expect(browser.addresses.filter((address) => !address.startsWith(site.origin))).toEqual([])
    })
  })
})
