import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a log that names all tenants before the daemon does, which would make it world-readable. */
export function makePrivateLog(path: string): void {
  if (!existsSync(dirname(path))) return
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}
