import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { place, startServer } from '../serve/server.ts'
import { executablePath, openBrowser, password, signIn } from '../web/browser/browser.ts'

/** A browser with an authenticator that verifies its user, such as a phone's. */
async function openSite() {
  // A proxy in front presents a certificate that browsers trust.
  const server = await startServer(place(), { hostname: 'localhost', trustProxy: ['127.0.0.1'] })
  const made = await server.send('POST', '/accounts', { username: 'alice', domain: 'alice.example', password })
  expect(made.status).toBe(202)
  await server.send('PUT', '/root/password', { new_password: password })
  const { page, context, complaints, close } = await openBrowser()
  onTestFinished(close)
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const authenticator = await addAuthenticator(devtools)
  const origin = `https://localhost:${server.port}`
  return { server, page, context, complaints, devtools, authenticator, origin }
}

async function addAuthenticator(devtools: CDPSession): Promise<string> {
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return authenticatorId
}

const title = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText()
const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()

async function addPasskey(page: Page, origin: string, panel = 'user'): Promise<string> {
  await page.goto(`${origin}/${panel}/me`)
  await press(page, 'Add a passkey')
  await page.getByLabel('Name').fill('Phone')
  await press(page, 'Create the passkey')
  await page.getByText('This is shown only now').waitFor()
  return page.locator('pre.secret').innerText()
}

async function signOut(page: Page): Promise<void> {
  await page.locator('summary', { hasText: 'Signed in as' }).click()
  await press(page, 'Sign out')
}

describe.skipIf(!executablePath)('passkeys in a real browser', () => {
  test('are added, sign in alone and as the second factor, are renamed and deleted', async () => {
    const { page, origin, complaints } = await openSite()
    await page.goto(`${origin}/user/login`)
    await signIn(page, 'alice')
    expect((await addPasskey(page, origin)).split('\n')).toHaveLength(10)
    await page.getByRole('link', { name: 'I have saved it' }).click()
    const table = page.getByRole('table', { name: 'Passkeys' })
    expect(await table.innerText()).toContain('localhost')

    await signOut(page)
    await page.goto(`${origin}/`)
    await press(page, 'Use a passkey')
    await page.waitForURL(`${origin}/user/`)

    await signOut(page)
    await signIn(page, 'alice')
    expect(await title(page)).toBe('Enter your code')
    await press(page, 'Use a passkey')
    await page.waitForURL(`${origin}/user/`)

    await page.goto(`${origin}/user/me`)
    await table.locator('summary').click()
    await table.getByLabel('Name').fill('<b>Tablet</b>')
    await table.getByRole('button', { name: 'Rename' }).click()
    expect(await page.getByRole('status').first().innerText()).toContain('Passkey renamed.')
    expect(await table.innerText()).toContain('<b>Tablet</b>')
    await table.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Passkey deleted.').waitFor()
    expect(await table.count()).toBe(0)
    await signOut(page)
    await press(page, 'Use a passkey')
    await page.getByText('No user of this panel has this passkey').waitFor()
    expect(complaints).toEqual([])
  }, 120_000)

  test('a passkey of root opens the admin panel from the start page, and confirms instead of the password', async () => {
    const { server, page, origin } = await openSite()
    await page.goto(`${origin}/admin/login`)
    await signIn(page, 'root')
    await addPasskey(page, origin, 'admin')
    await page.getByRole('link', { name: 'I have saved it' }).click()
    await signOut(page)
    await page.goto(`${origin}/`)
    await press(page, 'Use a passkey')
    await page.waitForURL(`${origin}/admin/`)

    await signOut(page)
    const { body } = await server.send('POST', '/root/sso', {})
    await page.goto(body.url)
    await page.goto(`${origin}/admin/tokens/new`)
    await page.getByLabel('Name').fill('deploy')
    await page.getByLabel('Read only').check()
    await page.locator('main form[id^=form-] button[type=submit]').click()
    expect(await title(page)).toBe('Confirm your password')
    await press(page, 'Use a passkey')
    await page.getByText('This is shown only now').waitFor()
  }, 120_000)

  test('a copy whose counter did not rise is refused, and so is one device twice', async () => {
    const { page, origin, devtools, authenticator } = await openSite()
    await page.goto(`${origin}/user/login`)
    await signIn(page, 'alice')
    await addPasskey(page, origin)
    await page.goto(`${origin}/user/me`)
    await press(page, 'Add a passkey')
    await page.getByLabel('Name').fill('Again')
    await press(page, 'Create the passkey')
    await page.getByText('This device already has a passkey').waitFor()
    await page.goto(`${origin}/user/me`)
    await signOut(page)
    await press(page, 'Use a passkey')
    await page.waitForURL(`${origin}/user/`)
    await signOut(page)
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId: authenticator })
    const [credential] = credentials
    await devtools.send('WebAuthn.removeCredential', {
      authenticatorId: authenticator,
      credentialId: credential!.credentialId,
    })
    await devtools.send('WebAuthn.addCredential', {
      authenticatorId: authenticator,
      credential: { ...credential!, signCount: 0 },
    })
    await press(page, 'Use a passkey')
    await page.getByText('The counter of this passkey did not rise').waitFor()
  }, 120_000)

  test('are offered only where they work, and only by a script', async () => {
    const { page, origin, devtools, authenticator } = await openSite()
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId: authenticator, isUserVerified: false })
    await page.goto(`${origin}/user/login`)
    await press(page, 'Use a passkey')
    await page.getByText('The passkey was not used').waitFor()
    await page.goto(origin.replace('localhost', '127.0.0.1'))
    expect(await page.getByText('Use a passkey').count()).toBe(0)
    await signIn(page, 'alice')
    await page.goto(`${origin.replace('localhost', '127.0.0.1')}/user/me`)
    expect(await page.getByText('Passkeys do not work at this address').count()).toBe(1)
    expect(await page.getByText('Add a passkey').count()).toBe(0)
    const plain = await openBrowser({ javaScriptEnabled: false })
    onTestFinished(plain.close)
    await plain.page.goto(`${origin}/user/login`)
    expect(await plain.page.getByRole('button', { name: 'Use a passkey' }).isVisible()).toBe(false)
    expect(await plain.page.locator('form[action$="/passkey"]').isVisible()).toBe(false)
  }, 120_000)
})
