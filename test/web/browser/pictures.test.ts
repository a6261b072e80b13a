import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Reached, startReached } from '../acceptance/reached.ts'
import { origin } from '../visitor.ts'
import { type Browser, executablePath, password } from './browser.ts'

const file = join(import.meta.dirname, 'pictures.json')
/** Updates the reference screenshots: after a change of style, and after looking at them. */
const renews = process.env['PANEL_PICTURES'] !== undefined

const pages = {
  accounts: '/admin/accounts',
  home: '/admin/accounts/alice/',
  dns: '/admin/accounts/alice/dns/alice.example',
  form: '/admin/accounts/alice/email/new',
} as const

const plain = { colorScheme: 'light', contrast: null, forcedColors: null, reducedMotion: null, media: null } as const
type Media = Parameters<Page['emulateMedia']>[0]

const looks: Readonly<Record<string, { media?: Media; language?: string }>> = {
  light: {},
  dark: { media: { colorScheme: 'dark' } },
  'more contrast': { media: { contrast: 'more' } },
  'forced colours': { media: { forcedColors: 'active' } },
  'reduced motion': { media: { reducedMotion: 'reduce' } },
  print: { media: { media: 'print' } },
  'right to left': { language: 'ar-XB' },
}

const [width, height] = [32, 20]

/** A screenshot in 640 cells, which a machine's font rendering hardly affects. */
async function cellsOf(page: Page, blank: Page): Promise<Buffer> {
  const picture = (await page.screenshot()).toString('base64')
  const cells = (await blank.evaluate(`(async () => {
    const blob = await (await fetch('data:image/png;base64,${picture}')).blob()
    const bitmap = await createImageBitmap(blob, { resizeWidth: ${width}, resizeHeight: ${height}, resizeQuality: 'high' })
    const context = new OffscreenCanvas(${width}, ${height}).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    return [...context.getImageData(0, 0, ${width}, ${height}).data].filter((_, at) => at % 4 < 3)
  })()`)) as number[]
  return Buffer.from(cells)
}

/** In how many cells two screenshots differ by more than a threshold of 255. */
function difference(one: Buffer, other: Buffer, tolerance = 10): number {
  let count = 0
  for (let at = 0; at < one.length; at += 3)
    if ([0, 1, 2].some((part) => Math.abs(one[at + part]! - other[at + part]!) > tolerance)) count++
  return count
}

/** Another font and other words differ as much. */
const max = (width * height) / 10
const packed = (cells: Buffer): string => deflateRawSync(cells).toString('base64')
const unpacked = (text: string): Buffer => inflateRawSync(Buffer.from(text, 'base64'))

describe.skipIf(!executablePath)('screenshots of pages', { timeout: 60_000 }, () => {
  let reached: Reached
  let browser: Browser
  let blank: Page
  const stored: Record<string, string> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const taken: Record<string, string> = {}

  beforeAll(async () => {
    reached = await startReached()
    const { panel } = reached
    for (const name of ['alice', 'bob', 'carol']) await panel.account(name, { password })
    const [{ id }] = (await panel.get('/accounts?q=alice')).body.items
    const [zone] = (await panel.get(`/accounts/${id}/dns/zones`)).body.items
    await panel.post(`/accounts/${id}/dns/zones/${zone.id}/records`, {
      name: 'six',
      type: 'AAAA',
      value: '2001:db8::1',
    })
    await panel.settle()
    browser = await reached.open('root')
    await browser.page.setViewportSize({ width: 1280, height: 800 })
    blank = await browser.context.newPage()
    await browser.page.bringToFront()
  }, 60_000)
  afterAll(async () => {
    if (renews) writeFileSync(file, `${JSON.stringify(taken, undefined, 2)}\n`)
    await browser?.close()
    await reached?.end()
  })

  test.each(Object.entries(looks))(
    'finds the screenshots in %s unchanged, where nothing moves',
    async (look, { media = {}, language = 'en' }) => {
      const { page } = browser
      await page.emulateMedia({ ...plain, ...media })
      await page.setExtraHTTPHeaders({ 'Accept-Language': language })
      const other: unknown[] = []
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(origin + path)
        await page.waitForLoadState('networkidle')
        const cells = await cellsOf(page, blank)
        const key = `${name}, ${look}`
        taken[key] = packed(cells)
        const before = renews ? cells : unpacked(stored[key] ?? '')
        const [changed, moved] = [difference(cells, before), difference(cells, await cellsOf(page, blank))]
        if (changed > max || moved > 0) other.push([key, changed, moved])
      }
      expect(other).toEqual([])
    },
  )

  test('detects a change of style in a screenshot', () => {
    const cells = (name: string, look: string): Buffer => unpacked(taken[`${name}, ${look}`]!)
    for (const name of Object.keys(pages))
      for (const look of ['dark', 'forced colours', 'print', 'right to left'])
        expect([name, look, difference(cells(name, 'light'), cells(name, look)) > max]).toEqual([name, look, true])
    for (const name of Object.keys(pages))
      expect([name, difference(cells(name, 'light'), cells(name, 'more contrast'), 0) > 0]).toEqual([name, true])
  })
})
