import { createHash } from 'node:crypto'
import type { MachineFacts } from '../../contract/facts.ts'

/** Of a directory, which runs nothing. */
const DIRECTORY_VERSION = '8.4'

export const defaultVersion = ({ php }: MachineFacts): string => php?.default ?? DIRECTORY_VERSION

/** A pool's place among those of its account. */
export interface PoolName {
  readonly version?: string | undefined
  readonly name?: string | undefined
}

/** The pools of one version, which one master runs. Another set of pools is another master with other sockets. */
export interface PoolSet {
  readonly username: string
  readonly version: string
  readonly id: string
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

export const versionOf = ({ version }: PoolName, facts: MachineFacts): string => version ?? defaultVersion(facts)

/** The set that a pool belongs to: named after its pools, so that a master keeps its sockets as long as it runs. */
export function setOf(username: string, version: string, pools: readonly PoolName[], facts: MachineFacts): PoolSet {
  const names = pools.filter((pool) => versionOf(pool, facts) === version).map(({ name = '' }) => name)
  return { username, version, id: digestOf([...new Set(names)].sort().join('\n')) }
}

/** The common name of a set's configuration and units; usernames have no hyphen. */
export const setName = ({ username, version, id }: PoolSet): string => `${version}-${id}-${username}`

const fileNames = /^etc\/panel\/php\/(\d{1,2}\.\d{1,2})-([0-9a-f]{12})-([a-z][a-z0-9]{1,15})\.conf$/

/** The set whose configuration is at a path. */
export function setAt(path: string): PoolSet | undefined {
  const [, version, id, username] = fileNames.exec(path) ?? []
  return version && id && username ? { version, id, username } : undefined
}

export const socketFolder = '/run/panel-php'

export const socketIn = (set: PoolSet, { name }: PoolName): string =>
  `${socketFolder}/${set.username}/${set.version}-${set.id}/${name === undefined ? 'shared' : digestOf(name)}.sock`

/** Where the pool of a site listens, given those of all sites. */
export const phpSocket = (username: string, pool: PoolName, pools: readonly PoolName[], facts: MachineFacts): string =>
  socketIn(setOf(username, versionOf(pool, facts), pools, facts), pool)

/** The socket of an account's CGI. */
export const cgiSocket = (username: string): string => `${socketFolder}/${username}/cgi.sock`
