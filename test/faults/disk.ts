import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

function mounted(size: string, at: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const unmount = (at: string): void => void execFileSync('umount', ['-l', at], { stdio: 'ignore' })

/** Why no small disk is available, or undefined if one is. */
export function noDisk(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can mount a small disk'
  const at = mkdtempSync(join(tmpdir(), 'panel-disk-'))
  try {
    if (!mounted('64k', at)) return 'nothing can be mounted here'
    unmount(at)
    return undefined
  } finally {
    rmSync(at, { recursive: true, force: true })
  }
}

/** A separate disk that is removed after the test. */
export class Disk {
  readonly path: string

  constructor(size: string) {
    this.path = mkdtempSync(join(tmpdir(), 'panel-disk-'))
    mounted(size, this.path)
    onTestFinished(() => {
      unmount(this.path)
      rmSync(this.path, { recursive: true, force: true })
    })
  }

  remount(options: string): void {
    execFileSync('mount', ['-o', `remount,${options}`, this.path], { stdio: 'ignore' })
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    const file = openSync(join(this.path, 'filler'), 'a')
    try {
      for (let bytes = 65_536; bytes >= 1; bytes /= 2) while (wrote(file, bytes));
    } finally {
      closeSync(file)
    }
  }

  empty(): void {
    rmSync(join(this.path, 'filler'), { force: true })
  }
}

function wrote(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes
  } catch {
    return false
  }
}
