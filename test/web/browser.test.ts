import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { place, type ServerProcess, startServer } from '../serve/server.ts'
import { executablePath, openBrowser, password, signIn } from './browser/browser.ts'

async function signOut(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'Signed in as' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

const title = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText()

async function ask(server: ServerProcess, path: string, body: object = {}, method = 'POST') {
  const reply = await server.send(method, path, body)
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
  return reply.body
}

test.skipIf(!executablePath)(
  'signs in by form in a real browser, opens links once, and reports suspension and sign-out',
  async () => {
    const server = await startServer(place(), { hostname: 'localhost' })
    const { account } = await ask(server, '/accounts', { username: 'alice', domain: 'alice.example', password })
    await ask(server, '/root/password', { new_password: password }, 'PUT')
    const origin = `https://localhost:${server.port}`
    const { context, page, complaints, close } = await openBrowser()
    onTestFinished(close)

    await page.goto(`${origin}/user/`)
    expect(page.url()).toBe(`${origin}/user/login`)
    await signIn(page, 'alice', 'not the password')
    expect(await page.getByRole('alert').innerText()).toBe('The username or the password is wrong.')
    expect(await page.getByLabel('Username').inputValue()).toBe('alice')
    await signIn(page, 'alice', password)
    expect([page.url(), await title(page)]).toEqual([`${origin}/user/`, 'alice.example'])
    expect(await page.evaluate('document.cookie')).toBe('')
    const flags = { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' }
    const [cookie, copy] = (await context.cookies()).sort((one, other) => other.name.localeCompare(one.name, 'en'))
    expect(cookie).toMatchObject({ name: 'panel_user', ...flags })
    expect(copy).toMatchObject({ name: '__Host-panel_user', value: cookie!.value, ...flags })
    await signOut(page)
    expect([page.url(), await context.cookies()]).toEqual([`${origin}/user/login`, []])

    const link = await ask(server, `/accounts/${account.id}/sso`, { goto: '/user/?from=billing' })
    await page.goto(link.url)
    expect([page.url(), await title(page)]).toEqual([`${origin}/user/?from=billing`, 'alice.example'])
    await page.goto(link.url)
    expect(await title(page)).toBe('This link no longer works')
    await page.goto((await ask(server, `/accounts/${account.id}/login-as`)).url)
    expect(await page.getByRole('status').innerText()).toContain('You act as alice')

    await ask(server, `/accounts/${account.id}/suspend`, { reason: 'unpaid' })
    await page.reload()
    expect(await title(page)).toBe('This account is suspended')
    await signOut(page)
    expect(page.url()).toBe(`${origin}/user/login`)
    await page.goto(`${origin}/user/nowhere`)
    expect(await title(page)).toBe('Not found')

    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto(`${origin}/admin/`)
    expect(await brightness(page)).toBeGreaterThan(600)
    await signIn(page, 'root', password)
    expect([page.url(), await title(page)]).toEqual([`${origin}/admin/`, 'Server'])
    expect(complaints).toEqual([])
  },
  60_000,
)

/** Of the text: it is light in dark mode, so the stylesheet was applied. */
const brightness = async (page: Page): Promise<number> => {
  const colour = (await page.evaluate("getComputedStyle(document.querySelector('h1')).color")) as string
  return [...colour.matchAll(/\d+/g)].reduce((sum, [part]) => sum + Number(part), 0)
}
