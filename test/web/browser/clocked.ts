import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { listenTcp } from '../../../src/server/listen.ts'
import { ownCertificate } from '../../../src/server/tls.ts'
import { appsIn } from '../../apps/fixtures.ts'
import { startPanel, type TestPanel } from '../../harness.ts'
import { type Browser, openBrowser, password, signIn } from './browser.ts'

/** A panel whose clock moves only when told, for a real browser. */
export async function startClocked() {
  const panel = await startPanel({ trustTenants: true, hostname: 'localhost' })
  const pair = await ownCertificate(join(panel.dir, 'tls'), 'localhost', Date.now(), [])
  const server = await listenTcp(panel.panel.app, { host: '127.0.0.1', port: 0 }, pair)
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  const { id } = await panel.account('alice', { password })
  const browser = await openBrowser()
  onTestFinished(browser.close)
  return { panel, account: id as string, origin, server, ...appsIn(panel, id), ...pathsIn(panel, origin, browser) }
}

export type Clocked = Awaited<ReturnType<typeof startClocked>>

function pathsIn(panel: TestPanel, origin: string, { page, context, addresses, complaints }: Browser) {
  return {
    page,
    context,
    addresses,
    complaints,
    async enter(path: string): Promise<Page> {
      await page.goto(`${origin}${path}`)
      await signIn(page, 'alice')
      await page.waitForURL(`${origin}${path}`)
      return page
    },
    /**
     * Moves time on until something holds. Each second leaves the browser 20 ms of its own time, since on a slow machine
     * the session would expire before the page gets anything.
     */
    async until(isSo: () => Promise<boolean>): Promise<void> {
      while (!(await isSo())) {
        await panel.clock.advance(1_000)
        await page.evaluate('new Promise((resolve) => setTimeout(resolve, 20))')
      }
    },
  }
}

/** Shows a page or hides it, like switching tabs. */
export const show = (page: Page, visible: boolean): Promise<void> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${!visible} })
    document.dispatchEvent(new Event('visibilitychange'))`)

/** The lines of a page's log, each with its number. */
export const linesOf = (page: Page): Promise<string[]> =>
  page.evaluate(
    "[...document.querySelectorAll('[data-lines] li')].map((line) => `${line.id} ${line.lastElementChild.textContent}`)",
  )

/** The input of a build: it prints what is written, until it is closed. */
export async function gate(panel: TestPanel, name = 'alice') {
  const path = join(panel.dir, `host/home/${name}/gate`)
  execFileSync('mkfifo', [path])
  return {
    command: 'cat ~/gate',
    open: async () => {
      const file = await open(path, 'w')
      onTestFinished(() => file.close().catch(() => {}))
      return { write: (text: string) => file.write(text), close: () => file.close() }
    },
  }
}
