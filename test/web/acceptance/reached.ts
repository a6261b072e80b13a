import type { Server } from 'node:http'
import { join } from 'node:path'
import { closeServer, listenTcp } from '../../../src/server/listen.ts'
import { pinOf } from '../../../src/server/pin.ts'
import { ownCertificate } from '../../../src/server/tls.ts'
import { type PanelOptions, TestPanel } from '../../harness.ts'
import { type Browser, openBrowser, password, signIn } from '../browser/browser.ts'
import { origin } from '../visitor.ts'

/** A panel of this process, with its own clock, that browsers and curl can reach too. */
export interface Reached {
  readonly panel: TestPanel
  /** Of the listener with TLS. */
  readonly port: number
  /** Of a listener without TLS, for the command line. */
  readonly plain: string
  /** For a browser without a session. */
  readonly rules: string
  open(name: string, more?: { javaScriptEnabled?: boolean }): Promise<Browser>
  end(): Promise<void>
}

const portOf = (server: Server): number => (server.address() as { port: number }).port

export async function startReached(options: PanelOptions = {}): Promise<Reached> {
  let pin: string | undefined
  const panel = await new TestPanel({ ...options, pin: () => pin }).start()
  const pair = await ownCertificate(join(panel.dir, 'tls'), 'host.example', Date.now())
  pin = pinOf(pair.cert)
  const listen = (own?: typeof pair) => listenTcp(panel.panel.app, { host: '127.0.0.1', port: 0 }, own)
  const servers = [await listen(pair), await listen()] as const
  await panel.put('/root/password', { new_password: password })
  const [port, plain] = [portOf(servers[0]), portOf(servers[1])]
  return {
    panel,
    port,
    plain: `http://127.0.0.1:${plain}`,
    rules: `MAP host.example:7711 127.0.0.1:${port}`,
    async open(name, more) {
      const browser = await openBrowser({ ...more, rules: `MAP host.example:7711 127.0.0.1:${port}` })
      const side = name === 'root' || name === 'rita' ? 'admin' : 'user'
      await browser.page.goto(`${origin}/${side}/login`)
      await signIn(browser.page, name)
      return browser
    },
    async end() {
      await Promise.all(servers.map((server) => closeServer(server, 100)))
      await panel.stop()
    },
  }
}
