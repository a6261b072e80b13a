import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { onFailPoint } from './axe.ts'
import { executablePath } from './browser.ts'
import { type Clocked, gate, linesOf, show, startClocked } from './clocked.ts'

const texts = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, place) => `line ${from + place}`)
const written = (from: number, to: number): string => `${texts(from, to).join('\n')}\n`
const received = (lines: readonly string[]): string[] => lines.flatMap((line) => /line \d+$/.exec(line) ?? [])
interface Traced {
  readonly name: string
  readonly args: { readonly elementCount?: number; readonly beginData?: { readonly dirtyObjects: number } }
}

/** The number of elements that a browser restyles, and of those it lays out, each time. */
async function workOf(page: Page, act: () => Promise<void>): Promise<{ styled: number[]; laidOut: number[] }> {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] })
  await act()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: Traced[] }
  return {
    styled: traceEvents.flatMap(({ name, args }) => (name === 'UpdateLayoutTree' ? (args.elementCount ?? []) : [])),
    laidOut: traceEvents.flatMap(({ name, args }) => (name === 'Layout' ? (args.beginData?.dirtyObjects ?? []) : [])),
  }
}

const numbers = (lines: readonly string[]): number[] => lines.map((line) => Number(/^L(\d+)/.exec(line)![1]))

describe.skipIf(!executablePath)('live pages in a real browser', { timeout: 60_000 }, () => {
  test('a deploy shows its steps and its lines without a reload, none missing or repeated after a cut and 90 s hidden, and is cancelled', async () => {
    const { panel, origin, app, deploy, enter, until, page, addresses, complaints } = await startClocked()
    const { command, open } = await gate(panel)
    const { id } = await app('shop', 'static', { build: command })
    await enter('/user/apps/shop')
    const { body } = await deploy(id, { 'index.html': 'hello' })
    const opened = open()
    await page.goto(`${origin}/user/apps/shop/releases/${body.release.number}`)
    const pipe = await opened
    const loads = addresses.length
    const has = (line: string) => async () => received(await linesOf(page)).includes(line)

    await pipe.write(written(1, 20))
    await until(has('line 20'))
    expect(await page.locator('.steps [aria-current=step] b').innerText()).toBe('Build')
    expect(received(await linesOf(page))).toEqual(texts(1, 20))

    await page.context().setOffline(true)
    await pipe.write(written(21, 40))
    await panel.clock.advance(61_000)
    await page.context().setOffline(false)
    await until(has('line 40'))

    await show(page, false)
    await pipe.write(written(41, 90))
    await panel.clock.advance(90_000)
    expect(received(await linesOf(page))).toEqual(texts(1, 40))
    await show(page, true)
    await until(has('line 90'))
    const lines = await linesOf(page)
    expect(received(lines)).toEqual(texts(1, 90))
    expect(numbers(lines)).toEqual(lines.map((_, place) => place + 1))
    expect(addresses.slice(loads).filter((address) => !/\/live\/|\/assets\//.test(address))).toEqual([])

    panel.events()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#done', { hasText: 'being cancelled' }).waitFor()
    await until(async () => (await page.locator('.head .chip').innerText()).includes('Cancelled'))
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
    expect([panel.events(), panel.jobs()]).toEqual([[], ['app.deploy cancelled']])
    expect(complaints).toEqual([])
  })

  test.each([
    { width: 1280, colorScheme: 'light' },
    { width: 320, colorScheme: 'dark' },
  ] as const)(
    'the pages of an app and its figures are readable: $colorScheme, $width px',
    async ({ width, colorScheme }) => {
      const { panel, account, app, live, enter, origin, page, complaints } = await startClocked()
      const { id } = await app('shop', 'node', { start: 'node app.js', git_url: 'https://git.example/shop.git' })
      await live(id, 'v1')
      await live(id, 'v2')
      await panel.patch(`/accounts/${account}/apps/${id}/env`, { set: [{ name: 'KEY', value: 'v', secret: true }] })
      await panel.settle()
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await enter('/user/apps/shop')
      const wrong: string[] = []
      for (const path of ['apps/shop', 'apps/shop/releases/1', 'apps/shop/env', 'apps/shop/log', 'usage']) {
        await page.goto(`${origin}/user/${path}`)
        for (const error of await onFailPoint(page)) wrong.push(`${path}: ${error}`)
        const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        if (over !== 0) wrong.push(`${path} is wider by ${over}`)
      }
      expect([...wrong, ...complaints]).toEqual([])
    },
  )

  test('what the page shows is true once its job has ended, and what one types meanwhile stays', async () => {
    const { panel, enter, page, until, addresses, complaints } = await startClocked()
    const set = (database: string, job: string): Promise<void> =>
      panel.store.change(() => {
        panel.store.sqlite.prepare('UPDATE mysql_databases SET status = ?').run(database)
        panel.store.sqlite.prepare("UPDATE jobs SET status = ? WHERE kind = 'mysql.database.create'").run(job)
      })
    await enter('/user/mysql/new')
    await page.getByLabel('Name').fill('alice_shop')
    await page.getByRole('main').getByRole('button').last().click()
    await page.locator('#done', { hasText: 'Database created.' }).waitFor()
    await panel.settle()
    await set('creating', 'running')
    await page.evaluate('location.replace(location.href)')
    await page.locator('#done.turning').waitFor()
    const chip = page.locator('.head .chip')
    expect(await chip.innerText()).toContain('Creating')
    const loads = addresses.length
    await set('active', 'succeeded')
    await until(async () => !(await chip.innerText()).includes('Creating'))
    expect(await page.locator('#done').innerText()).toContain('Succeeded')
    const further = addresses.slice(loads).filter((one) => !/\/live\/|\/assets\//.test(one))
    expect(further).toEqual([page.url()])
    expect(complaints).toEqual([])
  })

  test('shows the last 2,000 of 20,000 lines of a log, while one types', async () => {
    const { panel, app, enter, until, page, complaints } = await startClocked()
    await app('shop', 'static')
    const logs = join(panel.dir, 'host/var/log/panel/alice')
    mkdirSync(logs, { recursive: true })
    const log = join(logs, 'shop.app.log')
    appendFileSync(log, written(1, 10))
    await enter('/user/apps/shop/log')
    expect(received(await linesOf(page))).toEqual(texts(1, 10))
    const field = page.locator('input[type=search]')
    const coming = await workOf(page, async () => {
      appendFileSync(log, written(11, 20_000))
      const draft = field.pressSequentially('what one types meanwhile')
      await until(async () => received(await linesOf(page)).at(-1) === 'line 20000')
      await draft
    })
    expect(await field.inputValue()).toBe('what one types meanwhile')
    expect([coming.styled.length > 20, Math.max(...coming.styled) < 1_000]).toEqual([true, true])
    expect([coming.laidOut.length > 20, Math.max(...coming.laidOut) < 1_500]).toEqual([true, true])
    const typed = await workOf(page, () => field.pressSequentially(', and after it', { delay: 20 }))
    expect([typed.styled.length > 5, Math.max(...typed.styled) < 20]).toEqual([true, true])
    expect([typed.laidOut.length > 5, Math.max(...typed.laidOut) < 50]).toEqual([true, true])
    const lines = await linesOf(page)
    expect(received(lines)).toEqual(texts(18_001, 20_000))
    expect(numbers(lines)).toEqual(Array.from({ length: 2000 }, (_, place) => 18_001 + place))
    expect(complaints).toEqual([])
  })

  test('four live pages leave room for a fifth, and hidden ones are not updated', async () => {
    const { panel, app, enter, until, context, origin, page } = await startClocked()
    await app('shop', 'static')
    await enter('/user/apps/shop/log')
    const pages = [page]
    for (const _ of [2, 3, 4]) {
      const next = await context.newPage()
      await next.goto(`${origin}/user/apps/shop/log`)
      pages.push(next)
    }
    const fifth = await context.newPage()
    expect((await fifth.goto(`${origin}/user/`))?.status()).toBe(200)
    const log = join(panel.dir, 'host/var/log/panel/alice/shop.app.log')
    mkdirSync(join(log, '..'), { recursive: true })
    appendFileSync(log, written(1, 1))
    await until(async () => (await Promise.all(pages.map(linesOf))).every((lines) => received(lines).length === 1))
    await Promise.all(pages.map((one) => show(one, false)))
    appendFileSync(log, written(2, 2))
    await panel.clock.advance(10_000)
    for (const one of pages) expect(received(await linesOf(one))).toEqual(texts(1, 1))
    await Promise.all(pages.map((one) => show(one, true)))
    await until(async () => (await Promise.all(pages.map(linesOf))).every((lines) => received(lines).length === 2))
  })

  /** What revokes a session's access, and what the next click shows. */
  const ends: readonly (readonly [
    what: string,
    heading: string,
    why: string,
    (input: Clocked, token: string) => Promise<unknown>,
  ])[] = [
    [
      'the account is suspended',
      'This account is suspended',
      'unpaid',
      ({ panel, account }) => panel.post(`/accounts/${account}/suspend`, { reason: 'unpaid' }),
    ],
    [
      'the token of its link is revoked',
      'Sign in',
      'Your session has ended.',
      ({ panel }, token) => panel.delete(`/tokens/${token}`),
    ],
  ]
  test.each(ends)('a stream ends within 2 s when %s, and the next click says why', async (_what, heading, why, end) => {
    const clocked = await startClocked()
    const { panel, app, account, page, until, origin } = clocked
    const { id } = await app('shop', 'static')
    const { secret, token } = (await panel.post('/tokens', { name: 'billing', scopes: ['accounts:write'] })).body
    const goto = '/user/apps/shop/log'
    const link = (await panel.post(`/accounts/${account}/sso`, { goto }, { token: secret })).body.url
    await page.goto(origin + new URL(link).pathname + new URL(link).search)
    const log = join(panel.dir, 'host/var/log/panel/alice/shop.app.log')
    mkdirSync(join(log, '..'), { recursive: true })
    appendFileSync(log, written(1, 1))
    await until(async () => received(await linesOf(page)).length === 1)
    // After the stream's earlier requests, which may be answered with the old permissions.
    await panel.get(`/accounts/${account}/apps/${id}/log`)
    await end(clocked, token.id)
    await panel.clock.advance(2_000)
    appendFileSync(log, written(2, 2))
    await panel.clock.advance(10_000)
    expect(received(await linesOf(page))).toEqual(texts(1, 1))
    await page.getByRole('link', { name: 'Refresh' }).click()
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    expect(await page.locator('body').innerText()).toContain(why)
  })
})
