import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The data directory of root's server. */
export const systemDirectory = '/var/lib/panel'
/** The kernel's limit for a Unix socket path, without the final NUL. */
export const socketPathLimit = 107

function userDirectory(): string {
  return join(process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'panel')
}

/** The data directory: as given, else `$PANEL_DATA_DIR`, else root's or the user's own. */
export function dataDirectory(input?: string): string {
  const chosen = input || process.env['PANEL_DATA_DIR']
  return chosen ? resolve(chosen) : defaultDirectory()
}

/** Root's or the user's own, if neither an option nor the environment names one. */
export const defaultDirectory = (): string => (process.getuid?.() === 0 ? systemDirectory : userDirectory())

/** The socket of the server in this data directory. */
export const socketPath = (directory: string): string => join(directory, 'panel.sock')

/** Whether the kernel would truncate this socket path. */
export const socketPathTooLong = (path: string): boolean => Buffer.byteLength(path) > socketPathLimit
