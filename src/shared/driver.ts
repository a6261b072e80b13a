import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the agent of a Debian host listens. */
export const hostSocket = '/run/panel/host.sock'

/** Where the server listens for nginx, which serves it at its own name. */
export const frontSocket = '/run/panel-front/panel.sock'

/** The file in a data directory that says how its host is reached. It belongs to the machine: no backup has it. */
export const driverFile = (dataDir: string): string => join(dataDir, 'driver')

/** The driver of a data directory, which keeps a host of its own unless it was given this machine. */
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
