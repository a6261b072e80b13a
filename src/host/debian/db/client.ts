import { existsSync } from 'node:fs'
import { HostError } from '../../contract/error.ts'
import type { Run } from '../commands.ts'

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

/** Masks password hashes in a text. */
export const withoutHashes = (text: string): string => text.replace(secret, '…')

export const sqlOf =
  (run: Run, isThere = () => existsSync(program), timeout?: number): Sql =>
  async (statements) => {
    if (!isThere()) throw new HostError('install', 'MariaDB is not installed on this machine.')
    try {
      return await run(program, args, { input: `${statements.join('\n')}\n`, ...(timeout && { timeout }) })
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      throw new HostError(error.stage, withoutHashes(error.message), error.code)
    }
  }
