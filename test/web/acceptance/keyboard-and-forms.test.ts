import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type Browser, executablePath, signIn } from '../browser/browser.ts'
import { makeVisited, pages } from '../map.ts'
import { origin, password } from '../visitor.ts'
import { type Reached, startReached } from './reached.ts'

async function withBrowser(act: (reached: Reached, browser: Browser) => Promise<void>): Promise<void> {
  const reached = await startReached()
  try {
    await reached.panel.account('alice', { password })
    const browser = await reached.open('alice')
    await act(reached, browser).finally(() => browser.close())
  } finally {
    await reached.end()
  }
}

const textIn = (page: Page): Promise<string> => page.locator('body').innerText()

test.skipIf(!executablePath).each([0, 1])(
  'a page shows nothing in a frame of another site, and neither does a link page (%i)',
  async (half) => {
    const reached = await startReached()
    try {
      const { addressOf, world } = await makeVisited(reached.panel)
      const { url } = (await reached.panel.post(`/accounts/${world.alice.id}/sso`, {})).body
      const { page, close } = await reached.open('alice')
      await page.goto('about:blank')
      const own = pages.filter(({ base }) => base === '/user').map((one) => `${origin}${addressOf(one)}`)
      const visible: string[] = []
      const all = [url, ...own, `${origin}/user/login`, `${origin}/user/nowhere`, `${origin}/assets/none`]
      for (const address of all.filter((_, index) => index % 2 === half)) {
        await page.setContent(`<iframe src="${address}"></iframe>`)
        await page.waitForFunction('frames.length === 1')
        const [, frame] = page.frames()
        await frame?.waitForLoadState().catch(() => undefined)
        const text = await frame?.evaluate('document.body?.innerText ?? ""').catch(() => '')
        if (/alice|Sign in|panel|Not found/i.test(String(text).replaceAll('host.example', '')))
          visible.push(`${address}: ${text}`)
      }
      expect(visible).toEqual([])
      await close()
    } finally {
      await reached.end()
    }
  },
  60_000,
)

test.skipIf(!executablePath)(
  'Back shows nothing of an account after signing out, nor what was typed',
  async () => {
    await withBrowser(async (_reached, { page }) => {
      await page.goto(`${origin}/user/cron/new`)
      await page.locator('[name=command]').fill('echo what was typed')
      await page.goto(`${origin}/user/domains`)
      expect(await textIn(page)).toContain('alice.example')
      await page.locator('summary', { hasText: 'Signed in as' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${origin}/user/login`)
      for (let back = 0; back < 3; back++) {
        await page.goBack()
        expect(await textIn(page)).not.toMatch(/alice|what was typed/)
        expect(await page.locator('[name=command]').count()).toBe(0)
      }
    })
  },
  60_000,
)

test.skipIf(!executablePath)(
  'saves nothing in the older of two tabs with two accounts before it names the account',
  async () => {
    await withBrowser(async ({ panel }, { page, context }) => {
      await panel.account('bob', { password })
      await page.goto(`${origin}/user/cron/new`)
      await page.locator('[name=schedule]').fill('@daily')
      await page.locator('[name=command]').fill('true')
      const other = await context.newPage()
      await context.clearCookies()
      await other.goto(`${origin}/user/login`)
      await signIn(other, 'bob')
      await other.waitForURL(`${origin}/user/`)
      await page.locator('main button.main').click()
      await page.getByText('now as bob. Check it and save.').waitFor()
      expect(await page.locator('[name=command]').inputValue()).toBe('true')
      expect(panel.jobs()).toEqual([])
    })
  },
  60_000,
)
