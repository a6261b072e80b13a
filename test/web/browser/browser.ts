import { existsSync } from 'node:fs'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

export const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
export const password = 'correct horse battery'

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Browser {
  readonly context: BrowserContext
  readonly page: Page
  close(): Promise<void>
  /** Its pages' complaints: errors, warnings, and content policy violations. */
  readonly complaints: string[]
  /** Every requested address. */
  readonly addresses: string[]
}

export interface Opened {
  readonly javaScriptEnabled?: boolean
  /** Name resolution: `MAP host.example:7711 127.0.0.1:1234`. */
  readonly rules?: string
}

/** A browser without any session. */
export async function openBrowser({ rules, ...more }: Opened = {}): Promise<Browser> {
  const args = rules === undefined ? quiet : [...quiet, `--host-resolver-rules=${rules}`]
  const browser = await chromium.launch({ executablePath: executablePath!, args })
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...more })
  const page = await context.newPage()
  const complaints: string[] = []
  const addresses: string[] = []
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load')
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => addresses.push(request.url()))
  return { context, page, complaints, addresses, close: () => browser.close() }
}

export async function signIn(page: Page, name: string, secret = password): Promise<void> {
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
