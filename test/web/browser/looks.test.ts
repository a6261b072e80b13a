import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, executablePath } from './browser.ts'
import { type Site, startSite } from './site.ts'

const pages = [
  '/admin/accounts',
  '/admin/accounts/alice/dns/alice.example',
  '/admin/accounts/alice/email/info@alice.example',
]

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}').trim()`)

/** What overflows on either side. */
const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(`document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
    [...document.body.querySelectorAll('*')]
      .filter((one) => { const { left, right } = one.getBoundingClientRect(); return left < 0 || right > innerWidth })
      .map((one) => one.outerHTML.slice(0, 120))`)

describe.skipIf(!executablePath)('looks of a page', { timeout: 60_000 }, () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await startSite()
    const [zone] = (await site.server.send('GET', `/accounts/${site.account}/dns/zones`)).body.items
    const record = { name: 'six', type: 'AAAA', value: '2001:db8::1' }
    await site.make('POST', `/accounts/${site.account}/dns/zones/${zone.id}/records`, record)
    browser = await site.open('admin')
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await site?.end()
  })

  test('looks right in light and dark, and with more contrast', async () => {
    const { page } = browser
    await page.goto(site.origin + pages[0])
    const seen = async (media: Parameters<Page['emulateMedia']>[0]) => {
      await page.emulateMedia({ colorScheme: 'light', contrast: null, ...media })
      return [await styleOf(page, 'body', 'background-color'), await styleOf(page, '.chip', 'color')].join()
    }
    const light = await seen({})
    const dark = await seen({ colorScheme: 'dark' })
    expect(dark).not.toBe(light)
    const soft = async (contrast: 'more' | null) => {
      await page.emulateMedia({ colorScheme: 'light', contrast })
      return styleOf(page, '.count', 'color')
    }
    expect(await soft('more')).not.toBe(await soft(null))
    await page.emulateMedia({ contrast: null })
  })

  test('looks right with system colours: the current page and the status stay visible', async () => {
    const { page } = browser
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto(site.origin + pages[0])
    expect(await styleOf(page, '.nav [aria-current]', 'outline-style')).toBe('solid')
    expect(await page.locator('.chip').first().textContent()).toMatch(/[●▲■◌○] \w+/)
    await page.emulateMedia({ forcedColors: null })
  })

  test('looks right without motion, whether or not that is requested', async () => {
    const { page } = browser
    for (const reducedMotion of ['reduce', 'no-preference'] as const)
      for (const path of pages) {
        await page.emulateMedia({ reducedMotion })
        await page.goto(site.origin + path)
        expect(await page.evaluate('document.getAnimations().length')).toBe(0)
        const moving = `[...document.querySelectorAll('*')].filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0).length`
        expect(await page.evaluate(moving)).toBe(0)
      }
  })

  test('prints only the content, black on white, with the addresses of external links', async () => {
    const { page } = browser
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.goto(`${site.origin}/admin/accounts/alice/`)
    for (const part of ['.bar', '.nav', '.say', '.head .actions'])
      expect(await styleOf(page, part, 'display')).toBe('none')
    expect(await styleOf(page, 'body', 'background-color')).toBe('rgb(255, 255, 255)')
    expect(await styleOf(page, 'main h1', 'color')).toBe('rgb(0, 0, 0)')
    await page.emulateMedia({ media: null, colorScheme: null })
  })

  test('looks right from right to left, longer and narrow: commands and IPv6 addresses read left to right', async () => {
    const { page, context } = browser
    await context.setExtraHTTPHeaders({ 'Accept-Language': 'ar-XB' })
    for (const path of pages)
      for (const width of [1280, 390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(site.origin + path)
        expect([path, width, await sideways(page)]).toEqual([path, width, []])
        expect(await styleOf(page, 'html', 'direction')).toBe('rtl')
        expect(await styleOf(page, '#say-line', 'direction')).toBe('ltr')
      }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(site.origin + pages[1])
    const { x: menu } = (await page.locator('.nav').boundingBox())!
    expect(menu).toBeGreaterThan(900)
    const address = page.locator('bdi', { hasText: '2001:db8::1' }).first()
    const order = await address.evaluate((one) => {
      const text = one.firstChild!
      const at = (index: number): number => {
        const range = one.ownerDocument.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + 1)
        return range.getBoundingClientRect().x
      }
      return [...text.textContent!].every((_, index) => index === 0 || at(index) > at(index - 1))
    })
    expect(order).toBe(true)
    await context.setExtraHTTPHeaders({})
  })
})
