import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprintOf } from './key/read.ts'

export interface HostKey {
  readonly type: string
  readonly fingerprint: string
}

/** The host keys of this machine's SSH server, if it has one. */
export function hostKeys(folder = '/etc/ssh'): HostKey[] {
  const names = namesIn(folder).filter((name) => /^ssh_host_\w+_key\.pub$/.test(name))
  return names.sort().flatMap((name) => {
    const [type, blob] = readFileSync(join(folder, name), 'utf8').split(' ')
    return type && blob ? [{ type, fingerprint: fingerprintOf(Buffer.from(blob, 'base64')) }] : []
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
