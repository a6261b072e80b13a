import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const chunks = [1_048_576, 65_536, 4096, 1]

/** A small disk in memory, which can be filled to the last byte. */
export class Disk {
  readonly path: string

  constructor(path: string, size: string) {
    this.path = path
    mkdirSync(path, { recursive: true, mode: 0o755 })
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', path], { stdio: 'pipe' })
  }

  fill(): void {
    const file = openSync(join(this.path, 'filler'), 'a')
    try {
      for (const bytes of chunks) while (wrote(file, bytes));
    } finally {
      closeSync(file)
    }
  }

  empty(): void {
    rmSync(join(this.path, 'filler'), { force: true })
  }

  end(): void {
    execFileSync('umount', ['-l', this.path], { stdio: 'pipe' })
  }
}

function wrote(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes
  } catch {
    return false
  }
}

/** Why nodes cannot have disks of their own, or nothing where they can. */
export function noDisks(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can mount one'
  const path = mkdtempSync(join(tmpdir(), 'panel-disk-'))
  try {
    new Disk(path, '64k').end()
    return undefined
  } catch {
    return 'nothing can be mounted here'
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}
