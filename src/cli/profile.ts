import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { dataDirectory, socketPath, socketPathTooLong } from '../shared/directory.ts'
import { usage } from './errors.ts'

/** The server a command talks to. */
export interface Target {
  /** Where requests go. A socket speaks plain HTTP, whatever the address says. */
  readonly url: URL
  readonly socket?: string
  readonly token?: string
  /** File with the certificates that are trusted. */
  readonly ca?: string
  /** What prompts and messages call it. */
  readonly label: string
  /** How it was chosen, in words. */
  readonly because: string
}

/** A server saved under a name. */
export interface Context {
  readonly url: string
  readonly token?: string
  readonly ca?: string
}

interface Contexts {
  readonly current?: string
  readonly contexts?: Readonly<Record<string, Context>>
}

export interface Choice {
  readonly context?: string
  readonly dataDir?: string
}

/** The file that holds the saved servers. */
export const contextsFile = (): string =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'panel', 'contexts.json')

function savedContexts(): Contexts {
  const file = contextsFile()
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Contexts
  } catch {
    throw usage(`${file} cannot be read as JSON`)
  }
}

/**
 * The server: a context by name, else PANEL_URL, else the current context, else the socket of the local server.
 * An option beats the environment, so `--data-dir` alone means the local server.
 */
export function chooseTarget({ context, dataDir }: Choice): Target {
  if (context) return contextTarget(context, '--context')
  if (dataDir) return localTarget(dataDir)
  const { PANEL_CONTEXT: named, PANEL_URL: url } = process.env
  if (named) return contextTarget(named, 'PANEL_CONTEXT')
  if (url) return environmentTarget(url)
  const { current } = savedContexts()
  return current ? contextTarget(current, 'the current context') : localTarget()
}

function contextTarget(name: string, origin: string): Target {
  const context = savedContexts().contexts?.[name]
  if (!context) throw usage(`there is no context ${name} (${origin})`, `saved servers are in ${contextsFile()}`)
  return remoteTarget(context, `${origin}: ${name}`)
}

function environmentTarget(url: string): Target {
  const { PANEL_TOKEN: token, PANEL_CACERT: ca } = process.env
  return remoteTarget({ url, ...(token && { token }), ...(ca && { ca }) }, 'PANEL_URL')
}

function remoteTarget({ url: given, token, ca }: Context, because: string): Target {
  const url = baseUrl(given)
  return { url, label: url.host, because, ...(token && { token }), ...(ca && { ca }) }
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The address with `/api/v1`, which may be left out. */
function baseUrl(given: string): URL {
  if (!URL.canParse(given)) throw usage(`PANEL_URL is not an address: ${given}`, 'as in https://host.example:7711')
  const url = new URL(given)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw usage(`PANEL_URL must be https: ${given}`)
  if (url.username || url.password) throw usage('PANEL_URL must not hold a name or password', 'use PANEL_TOKEN')
  if (url.protocol === 'http:' && !loopback.test(url.hostname))
    throw usage('PANEL_URL must be https', 'plain http is for this machine only')
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`
  url.search = ''
  url.hash = ''
  return url
}

function localTarget(dataDir?: string): Target {
  const socket = socketPath(dataDirectory(dataDir))
  if (socketPathTooLong(socket))
    throw usage(`the path of the socket is too long: ${socket}`, 'choose a shorter --data-dir')
  const token = process.env['PANEL_TOKEN']
  return {
    url: new URL('http://localhost/api/v1'),
    socket,
    label: 'this machine',
    because: `the local socket ${socket}`,
    ...(token && { token }),
  }
}
