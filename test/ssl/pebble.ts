import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { setTimeout as timeoutMs } from 'node:timers/promises'
import { exchange } from '../../src/outgoing/exchange.ts'
import { certificate, file, inDir } from './openssl.ts'

/** Whether Debian's packages of the ACME test server are installed. */
export const hasPebble = (() => {
  try {
    execFileSync('which', ['pebble', 'pebble-challtestsrv'])
    return true
  } catch {
    return false
  }
})()

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Server>((done) => {
          const server = createTcp()
          server.listen(0, '127.0.0.1', () => done(server as Server))
        }),
    ),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return ports
}

/** An authority on loopback with a DNS of its own, where every name resolves to this machine. */
export class Pebble {
  readonly directory: string
  /** The certificate of its own address. */
  readonly ca: string
  readonly #manage: string
  readonly #children: ChildProcess[]
  /** The site's response, by path and name. */
  serve: (path: string, name: string) => string | undefined | Promise<string | undefined> = () => undefined
  readonly #site: Server

  private constructor(port: number, management: number, ca: string, children: ChildProcess[], site: Server) {
    this.directory = `https://localhost:${port}/dir`
    this.#manage = `http://127.0.0.1:${management}`
    this.ca = ca
    this.#children = children
    this.#site = site
    site.on('request', async (req, res) => {
      const content = await this.serve(req.url ?? '', req.headers.host?.split(':')[0] ?? '')
      res.writeHead(content === undefined ? 404 : 200).end(content)
    })
  }

  static async start(): Promise<Pebble> {
    const [port, manage, http, tls, dns, dnsManage] = (await freePorts(6)) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const own = certificate({ subject: '/CN=localhost', names: ['localhost'], to: '20991231000000Z' })
    const config = file(
      JSON.stringify({
        pebble: {
          listenAddress: `127.0.0.1:${port}`,
          managementListenAddress: `127.0.0.1:${manage}`,
          certificate: inDir(file(own.certificate)),
          privateKey: inDir(file(own.key)),
          httpPort: http,
          tlsPort: tls,
          ocspResponderURL: '',
          externalAccountBindingRequired: false,
        },
      }),
    )
    const children = [
      spawn(
        'pebble-challtestsrv',
        [
          '-http01',
          '',
          '-https01',
          '',
          '-tlsalpn01',
          '',
          '-dns01',
          `127.0.0.1:${dns}`,
          '-management',
          `127.0.0.1:${dnsManage}`,
          '-defaultIPv6',
          '',
        ],
        { stdio: 'ignore' },
      ),
      spawn('pebble', ['-strict', '-config', inDir(config), '-dnsserver', `127.0.0.1:${dns}`], {
        stdio: 'ignore',
        env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0', PEBBLE_WFE_NONCEREJECT: '10' },
      }),
    ]
    const site = createServer()
    await new Promise<void>((done) => site.listen(http, '127.0.0.1', done))
    const pebble = new Pebble(port, dnsManage, own.certificate, children, site)
    await pebble.#up()
    return pebble
  }

  /** Both respond. */
  async #up(): Promise<void> {
    for (;;) {
      try {
        const signal = AbortSignal.timeout(1000)
        await exchange({ method: 'GET', url: this.directory, ca: this.ca, signal })
        await exchange({ method: 'GET', url: this.#manage, signal })
        return
      } catch {
        await timeoutMs(50)
      }
    }
  }

  async setTxt(domain: string, value: string): Promise<void> {
    const body = JSON.stringify({ host: `_acme-challenge.${domain}.`, value })
    await exchange({ method: 'POST', url: `${this.#manage}/set-txt`, body, signal: AbortSignal.timeout(5000) })
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(
        (child) =>
          new Promise((done) => {
            child.once('exit', done)
            child.kill()
          }),
      ),
    )
    this.#site.closeAllConnections()
    await new Promise((done) => this.#site.close(done))
  }
}
