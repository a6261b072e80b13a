import { chmodSync, chownSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** Creates a new file, replacing any existing one. */
export function writeNew(path: string, text: string, mode: number, gid?: number): void {
  rmSync(path, { force: true })
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  if (gid !== undefined) chownSync(path, 0, gid)
  chmodSync(path, mode)
}

/** Replaces a file's content atomically. */
export function writeFile(path: string, text: string, mode: number, gid?: number): void {
  writeNew(`${path}.panel-new`, text, mode, gid)
  renameSync(`${path}.panel-new`, path)
}
