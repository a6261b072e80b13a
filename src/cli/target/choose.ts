import { existsSync, lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import { dataDirectory, defaultDirectory, socketPath, socketPathTooLong } from '../../shared/directory.ts'
import { type CliError, usage } from '../errors.ts'
import { savedContexts } from './contexts/file.ts'
import { contextCalled, localName, namesIn } from './contexts/name.ts'
import type { Context, ServerTarget } from './target.ts'

export interface Choice {
  readonly context?: string
  readonly allContexts?: boolean
  readonly dataDir?: string
}

/** The servers to run a command on concurrently; undefined for a single one. */
export function severalContexts({ context, allContexts, dataDir }: Choice): string[] | undefined {
  if (allContexts) return everyContext(context, dataDir)
  const named = context ?? (dataDir ? undefined : process.env['PANEL_CONTEXT'])
  const names = named?.includes(',') ? namesIn(named) : []
  return names.length > 1 ? names : undefined
}

function everyContext(context: string | undefined, dataDir: string | undefined): string[] {
  if (context) throw usage('--context and --all-contexts cannot be combined')
  if (dataDir) throw usage('--data-dir and --all-contexts cannot be combined')
  const names = Object.keys(savedContexts().contexts)
  if (names.length === 0) throw usage('there are no saved servers', 'panel login https://host.example:7711')
  return names.sort()
}

/**
 * Chooses the server: by option, else by environment, else the current context, else the local socket. Explicit choices
 * win over saved ones; two of the same rank must mean the same server.
 */
export function chooseTarget(choice: Choice): ServerTarget {
  const chosen = byOption(choice) ?? byEnvironment()
  if (chosen) return chosen
  const { current } = savedContexts()
  return current ? contextTarget(current, 'the current context') : localTarget()
}

function byOption({ context, dataDir }: Choice): ServerTarget | undefined {
  // An empty variable is one that a script forgot to set: it must not mean the current server.
  if (context === undefined) return dataDir ? localTarget(dataDir) : undefined
  if (dataDir && context !== localName) throw twoServers('--context', '--data-dir')
  return contextTarget(context, '--context', dataDir)
}

function byEnvironment(): ServerTarget | undefined {
  const { PANEL_CONTEXT: context, PANEL_URL: url, PANEL_DATA_DIR: dataDir, PANEL_TOKEN: token } = process.env
  if (dataDir && url) throw twoServers('PANEL_URL', 'PANEL_DATA_DIR')
  if (dataDir && context && context !== localName) throw twoServers('PANEL_CONTEXT', 'PANEL_DATA_DIR')
  const [named, addressed] = [context && contextTarget(context, 'PANEL_CONTEXT'), url && environmentTarget(url)]
  if (named && addressed && (named.socket || named.url.href !== addressed.url.href))
    throw twoServers('PANEL_CONTEXT', 'PANEL_URL')
  const remote = (token && addressed) || named || addressed
  return remote || (dataDir ? localTarget() : undefined)
}

const twoServers = (one: string, other: string): CliError =>
  usage(
    `${one} and ${other} name different servers: nothing was sent`,
    'leave one of them out; an option overrides the environment',
  )

function contextTarget(provided: string, origin: string, dataDir?: string): ServerTarget {
  const [name = provided, another] = namesIn(provided)
  if (another) throw usage(`${origin} names several servers`, 'this command works on one server at a time')
  if (name === localName) return localTarget(dataDir)
  const target = remoteTarget(contextCalled(name, origin), `${origin}: ${name}`)
  return { ...target, context: name, label: name === target.label ? name : `${name} (${target.label})` }
}

function environmentTarget(url: string): ServerTarget {
  const { PANEL_TOKEN: token, PANEL_CACERT: ca } = process.env
  return remoteTarget({ url, ...(token && { token }), ...(ca && { ca }) }, 'PANEL_URL')
}

/** The target for a saved server, or one about to be saved. */
export function remoteTarget({ url: provided, token, session, ca, pin }: Context, source: string): ServerTarget {
  const url = baseUrl(provided, source)
  return {
    url,
    label: url.host,
    source,
    ...(token && { token }),
    ...(session && { session }),
    ...(ca && { ca }),
    ...(pin && { pin }),
  }
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Whether a host is this machine. */
export const isLoopback = (url: URL): boolean => loopback.test(url.hostname)

/** The URL with `/api/v1`, which may be omitted. `origin` says where it comes from. */
function baseUrl(provided: string, origin: string): URL {
  if (!URL.canParse(provided))
    throw usage(`${origin} is not a URL: ${provided}`, 'for example https://host.example:7711')
  const url = new URL(provided)
  if (url.username || url.password) throw usage(`${origin} must not hold a name or password`, 'use PANEL_TOKEN')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw usage(`${origin} must be https: ${provided}`)
  if (url.protocol === 'http:' && !isLoopback(url))
    throw usage(`${origin} must be https`, 'plain http is allowed only for this machine')
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`
  url.search = ''
  url.hash = ''
  return url
}

/**
 * `npm start` in a clone keeps its data in `./.panel`: used if nothing else is named or runs. Only what is this user's
 * own: the owner of root's working directory could otherwise put a socket there.
 */
function ownDirectory(): string | undefined {
  if (process.env['PANEL_DATA_DIR'] || existsSync(socketPath(defaultDirectory()))) return undefined
  const directory = resolve('.panel')
  return [directory, socketPath(directory)].every(isOwn) ? directory : undefined
}

function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isSymbolicLink() && stats.uid === process.getuid?.()
}

/** The local server. */
export function localTarget(dataDir?: string): ServerTarget {
  const directory = (dataDir === undefined ? ownDirectory() : undefined) ?? dataDirectory(dataDir)
  const socket = socketPath(directory)
  if (socketPathTooLong(socket))
    throw usage(`the path of the socket is too long: ${socket}`, 'choose a shorter --data-dir')
  // With a URL, the token belongs to that server: no other one may see it.
  const token = process.env['PANEL_URL'] ? undefined : process.env['PANEL_TOKEN']
  return {
    url: new URL('http://localhost/api/v1'),
    socket,
    label: directory === defaultDirectory() ? 'this machine' : `this machine (${directory})`,
    source: `the local socket ${socket}`,
    ...(token && { token }),
  }
}
