import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, executablePath, openBrowser, password } from './browser.ts'
import { type Site, startSite } from './site.ts'

const canary = 'a canary of a password'

describe.skipIf(!executablePath)('scripts in a real browser', () => {
  let site: Site
  let browser: Browser
  beforeAll(async () => {
    site = await startSite()
    browser = await site.open('user')
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.origin })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await site?.end()
  })

  test('updates the command while typing, and keeps secrets out of every address', async () => {
    const { page, addresses, complaints } = browser
    await page.goto(`${site.origin}/user/ftp/new`)
    const line = page.locator('#say-line')
    expect(await line.innerText()).toBe('panel ftp create LOGIN --password-stdin')
    await page.getByRole('button', { name: 'Generate' }).click()
    const password = page.locator('[name=password]')
    expect(await password.inputValue()).toMatch(/^[\w-]{24}$/)
    expect(await password.getAttribute('type')).toBe('text')
    await page.locator('.control').getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await password.inputValue())
    await page.getByRole('button', { name: 'Hide' }).click()
    expect(await password.getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Show', exact: true }).waitFor()
    await page.locator('[name=password]').fill(canary)
    await page.locator('[name=login]').fill("it's@alice.example")
    await line.filter({ hasText: 'it' }).waitFor()
    expect(await line.innerText()).toBe("panel ftp create 'it'\\''s@alice.example' --password-stdin")
    await page.locator('#say').getByRole('button', { name: 'Copy' }).click()
    await page.locator('#say').getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await line.innerText())
    const stored = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, location.href, document.body.outerHTML])',
    )
    expect(addresses.join() + stored).not.toContain('canary')
    expect(complaints).toEqual([])
  }, 60_000)

  test('keeps the command on one line of a phone', async () => {
    const { page } = browser
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(`${site.origin}/user/dns/alice.example`)
    const bar = await page.locator('#say').boundingBox()
    await page.setViewportSize({ width: 1280, height: 800 })
    expect(bar!.height).toBeLessThanOrEqual(52)
  }, 60_000)

  test('shows times in the time zone of the browser', async () => {
    const { page } = browser
    await page.goto(`${site.origin}/user/activity`)
    const time = page.locator('main time[data-local]').first()
    expect(await time.getAttribute('title')).toMatch(/ · \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
  }, 60_000)

  test('follows a job until it has ended, without reloading the page', async () => {
    const { page, addresses, complaints } = browser
    await page.goto(`${site.origin}/user/cron/new`)
    await page.locator('[name=schedule]').fill('@daily')
    await page.locator('[name=command]').fill('true')
    await page.locator('main button.main').click()
    await page.locator('#done', { hasText: 'Cron job created.' }).waitFor()
    const loads = addresses.length
    await page.locator('#done', { hasText: 'Succeeded' }).waitFor()
    // What the page shows is fetched once, when the job has ended.
    const fetched = addresses.slice(loads).filter((address) => !/\/live|\/assets\//.test(address))
    expect(fetched.filter((address) => address !== page.url())).toEqual([])
    expect(fetched.length).toBeLessThanOrEqual(1)
    expect(complaints).toEqual([])
  }, 60_000)

  test('searches from the keyboard', async () => {
    const { page, complaints } = browser
    await page.goto(`${site.origin}/user/`)
    await page.keyboard.press('Control+k')
    const input = page.locator('dialog input')
    await input.fill('info@')
    await page.locator('dialog a', { hasText: 'info@alice.example' }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'hidden' })
    expect(await page.evaluate(openAfterPress)).toBe(true)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/user\/email\/info(@|%40)alice\.example/)
    expect(complaints).toEqual([])
  }, 60_000)

  test('shows no hits of an earlier text that arrive while another is typed', async () => {
    const { page, complaints } = browser
    const [none, typed, hold] = [/search\?q=$/, /search\?q=unheard/, (): void => undefined]
    let release = hold
    const isTyped = new Promise<void>((resolve) => {
      release = () => resolve()
    })
    await page.goto(`${site.origin}/user/`)
    await page.route(none, async (route) => {
      await isTyped
      await route.continue()
    })
    await page.route(typed, hold)
    await page.keyboard.press('Control+k')
    await page.locator('dialog input').fill('unheard of')
    release()
    await page.locator('dialog > div > *').first().waitFor({ state: 'attached' })
    expect(await page.locator('dialog a').allInnerTexts()).toEqual([])
    await page.unroute(none)
    await page.unroute(typed, hold)
    expect(complaints).toEqual([])
  }, 60_000)

  test('reaches a new password from the sign-in by keyboard, with nothing in focus covered', async () => {
    const { page, close } = await openBrowser()
    const covered: string[] = []
    const press = async (key: string): Promise<void> => {
      await page.keyboard.press(key)
      if (key === 'Tab') covered.push(...((await page.evaluate(coverOf)) as string[]))
    }
    const until = async (selector: string): Promise<void> => {
      for (let at = 0; at < 80; at++) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
        await press('Tab')
      }
      throw new Error(`no key leads to ${selector}`)
    }
    try {
      await page.goto(`${site.origin}/user/login`)
      await until('[name=username]')
      await page.keyboard.type('alice')
      await until('[name=password]')
      await page.keyboard.type(password)
      await Promise.all([page.waitForURL(`${site.origin}/user/`), press('Enter')])
      await press('Control+k')
      await page.locator('dialog input:focus').waitFor()
      await page.keyboard.type('info@')
      await page.locator('dialog a', { hasText: 'info@alice.example' }).first().waitFor()
      await Promise.all([page.waitForURL(/\/user\/email\/info/), press('Enter')])
      await until('summary:has(+ * [name=do][value=changeMailboxPassword]), [name=new_password]')
      if (await page.evaluate("document.activeElement.matches('summary')")) await press('Enter')
      await until('[name=new_password]')
      await page.keyboard.type('another password')
      await Promise.all([page.waitForURL(/done=changeMailboxPassword/), press('Enter')])
      expect(covered).toEqual([])
    } finally {
      await close()
    }
  }, 60_000)

  test('keeps the button of a termination disabled until the name is typed', async () => {
    const admin = await site.open('admin')
    try {
      const { page, complaints } = admin
      await page.goto(`${site.origin}/admin/accounts/alice/settings?do=terminateAccount`)
      const button = page.locator('button[data-confirmed]')
      expect(await button.isDisabled()).toBe(true)
      await page.locator('input[data-confirm]').fill('alic')
      expect(await button.isDisabled()).toBe(true)
      await page.locator('input[data-confirm]').fill('alice')
      expect(await button.isDisabled()).toBe(false)
      expect(complaints).toEqual([])
    } finally {
      await admin.close()
    }
  }, 60_000)
})

/** Presses Ctrl-K, and returns at once whether the box is open. */
const openAfterPress = `(() => {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
  return document.querySelector('dialog#search').open
})()`

/** A focused element that is invisible because another covers it. */
const coverOf = `(() => {
  const one = document.activeElement
  if (one === document.body || one.closest('dialog')) return []
  const { left, top, width, height } = one.getBoundingClientRect()
  const seen = document.elementFromPoint(left + Math.min(width, innerWidth) / 2, top + Math.min(height, 20) / 2)
  return seen && (one.contains(seen) || seen.contains(one)) ? [] : [one.outerHTML.slice(0, 120)]
})()`
