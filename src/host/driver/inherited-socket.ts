import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The socket that a parent passed to its child as a descriptor; undefined if there is none. */
export function inherited(fd: number): Duplex | undefined {
  try {
    return fstatSync(fd).isSocket() ? new Socket({ fd, readable: true, writable: true }) : undefined
  } catch {
    return undefined
  }
}

export function refuseManualStart(): void {
  process.stderr.write('error: the host agent is started by `panel serve`, not by hand\nhint: panel serve\n')
  process.exitCode = 2
}
