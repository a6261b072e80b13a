import { existsSync } from 'node:fs'
import { HostError } from '../../contract/error.ts'
import type { Run } from '../commands.ts'
import { disconnectAll, disconnectBusiest } from './proxies.ts'

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

/** The client's error when all connections are in use. */
const isFull = (error: unknown): boolean => error instanceof HostError && /\b1040\b/.test(error.message)

/** Masks password hashes in a text. */
export const withoutHashes = (text: string): string => text.replace(secret, '…')

/** Sends again, as long as the server is full and there is a further way to make room. */
async function withRoom(
  send: () => Promise<string>,
  [makeRoom, ...further]: readonly ((run: Run) => Promise<void>)[],
  run: Run,
): Promise<string> {
  try {
    return await send()
  } catch (error) {
    if (!makeRoom || !isFull(error)) throw error
    await makeRoom(run)
    return await withRoom(send, further, run)
  }
}

export const sqlOf =
  (run: Run, isThere = () => existsSync(program), timeout?: number): Sql =>
  async (statements) => {
    if (!isThere()) throw new HostError('install', 'MariaDB is not installed on this machine.')
    const send = () => run(program, args, { input: `${statements.join('\n')}\n`, ...(timeout && { timeout }) })
    try {
      return await withRoom(send, [disconnectBusiest, disconnectAll], run)
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      throw new HostError(error.stage, withoutHashes(error.message), error.code)
    }
  }
