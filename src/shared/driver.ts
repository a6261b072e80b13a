import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The socket of a Debian host's agent. */
export const hostSocket = '/run/panel/host.sock'

/** The server's socket for nginx, which serves the panel at the server's own name. */
export const frontSocket = '/run/panel-front/panel.sock'

/** The file that names a data directory's driver. It belongs to the machine and is not backed up. */
export const driverFile = (dataDir: string): string => join(dataDir, 'driver')

/** The driver of a data directory: by default one with a host of its own, `debian` for this machine. */
export function driverOf(dataDir: string): 'directory' | 'debian' {
  const driver = contentOf(driverFile(dataDir))
  if (driver === undefined || driver === 'directory') return 'directory'
  if (driver === 'debian') return driver
  throw new Error(`${driverFile(dataDir)} names no driver: write debian or directory to it.`)
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
