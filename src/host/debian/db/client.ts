import { existsSync } from 'node:fs'
import { HostError } from '../../contract/error.ts'
import type { Run } from '../commands.ts'
import { allServices } from './sockets.ts'

const program = '/usr/bin/mariadb'
export const socket = '/run/mysqld/mysqld.sock'
const args = [
  '--no-defaults',
  '--batch',
  '--skip-column-names',
  '--default-character-set=utf8mb4',
  '--user=root',
  `--socket=${socket}`,
]

/** Runs statements as the server's root, identified by uid on its socket; returns the output. */
export type Sql = (statements: readonly string[]) => Promise<string>

const secret = /\*[0-9A-F]{40}/g

const systemctl = '/usr/bin/systemctl'
/** The client's error when all connections are in use. */
const isFull = (error: unknown): boolean => error instanceof HostError && /\b1040\b/.test(error.message)

/**
 * Accounts together may take all connections, and root's reserved one; without root none of them is suspended. The sockets
 * go on.
 */
const disconnect = async (run: Run): Promise<void> =>
  void (await run(systemctl, ['stop', allServices], { fine: [1, 5] }))

/** Masks password hashes in a text. */
export const withoutHashes = (text: string): string => text.replace(secret, '…')

export const sqlOf =
  (run: Run, isThere = () => existsSync(program), timeout?: number): Sql =>
  async (statements) => {
    if (!isThere()) throw new HostError('install', 'MariaDB is not installed on this machine.')
    const ask = () => run(program, args, { input: `${statements.join('\n')}\n`, ...(timeout && { timeout }) })
    try {
      return await ask().catch((error: unknown) => (isFull(error) ? disconnect(run).then(ask) : Promise.reject(error)))
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      throw new HostError(error.stage, withoutHashes(error.message), error.code)
    }
  }
