import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { coreFiles } from './core.ts'
import { versionOf } from './fixtures.ts'

/** What an archive of WordPress has, as far as tasks use it. */
export const archiveFiles = (version: string): Record<string, string> => ({
  ...coreFiles({ users: [{ ID: 7, user_login: 'ed', roles: ['administrator'] }] }),
  'wp-includes/version.php': versionOf(version),
  'wp-settings.php': '<?php',
  'index.php': '<?php',
})

/** A directory with archives and their checksums. */
export function sourceDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'panel-wordpress-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const add = (name: string, bytes: Buffer): void => {
    writeFileSync(join(directory, name), bytes)
    const hash = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(directory, `${name}.sha256`), `${hash}  ${name}\n`)
  }
  return {
    directory,
    add,
    write: (name: string, content: string): void => writeFileSync(join(directory, name), content),
    archive(name: string, files: Readonly<Record<string, string>>, top = 'wordpress'): void {
      const built = mkdtempSync(join(tmpdir(), 'panel-core-'))
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(built, top, path)), { recursive: true })
        writeFileSync(join(built, top, path), text)
      }
      execFileSync('tar', ['-czf', join(built, 'a.tar.gz'), '-C', built, top])
      add(name, readFileSync(join(built, 'a.tar.gz')))
      rmSync(built, { recursive: true })
    },
  }
}
