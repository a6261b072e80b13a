import { request } from 'node:http'
import { checkServerIdentity, connect } from 'node:tls'
import { type Probe, tried } from './probe.ts'

const PROBE_TIMEOUT_MS = 5000
const suspended = 503
/** nginx's statuses when PHP or an app does not respond. */
const unanswered = [502, 504]

/** Each site by name, on this machine: a page, or 503 if the account is suspended; and a certificate for the name. */
export const http =
  (ports = { http: 80, https: 443 }): Probe =>
  async ({ account }) => {
    const names = account.parts.web.sites.flatMap(({ names: [name], tls }) =>
      name === undefined || name.startsWith('*') ? [] : [{ name, tls }],
    )
    const requested = names.map(({ name, tls }) => [
      tried(`http ${name}`, () => page(name, account.suspended, ports.http)),
      ...(tls ? [tried(`https ${name}`, () => certificate(name, ports.https))] : []),
    ])
    return Promise.all(requested.flat())
  }

async function page(name: string, isSuspended: boolean, port: number): Promise<string> {
  const status = await statusOf(name, port)
  if (isSuspended !== (status === suspended))
    throw new Error(isSuspended ? `The account is suspended, but the site answers ${status}.` : 'The site answers 503.')
  if (unanswered.includes(status)) throw new Error(`The site answers ${status}: PHP or the app behind it does not.`)
  return String(status)
}

const statusOf = (name: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path: '/', headers: { host: name }, timeout: PROBE_TIMEOUT_MS })
    asking.once('response', (answer) => {
      // A site may never end its answer.
      answer.on('error', () => {}).destroy()
      resolve(answer.statusCode ?? 0)
    })
    asking.once('timeout', () => asking.destroy(new Error('The web server does not answer.')))
    asking.once('error', ({ message }) => reject(new Error(`The web server does not serve the name: ${message}`)))
    asking.end()
  })

const certificate = (name: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: name, rejectUnauthorized: false, timeout: PROBE_TIMEOUT_MS }
    const socket = connect(options, () => {
      const presented = socket.getPeerCertificate()
      const error = checkServerIdentity(name, presented)
      socket.destroy()
      if (error) reject(new Error(`The certificate is not for the name: ${error.message}`))
      else resolve(`the certificate lasts until ${presented.valid_to}`)
    })
    socket.once('timeout', () => socket.destroy(new Error('The web server does not answer.')))
    socket.once('error', ({ message }) => reject(new Error(`There is no certificate for the name: ${message}`)))
  })
