import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environment, root } from '../cli/run.ts'
import { scratchFolder } from '../cli/server.ts'

/** The repository as a fresh clone, with its packages installed. */
function clone(): string {
  const folder = scratchFolder()
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const present = listed
    .toString()
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('test/'))
  for (const path of present) cpSync(join(root, path), join(folder, path))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** The copy tested with another Node has no repository to clone. */
const isRepository = existsSync(join(root, '.git'))

test.skipIf(!isRepository)('a fresh clone packs into a package that runs', { timeout: 60_000 }, () => {
  const folder = clone()
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  const env = environment({ HOME: folder, npm_config_cache: join(folder, '.cache/npm'), npm_config_offline: 'true' })
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: folder, env, stdio: 'ignore' })
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(manifest)

  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['-xzf', archive], { cwd: folder })
  const { man } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
  expect([...man].sort()).toEqual(
    readdirSync(join(root, 'man'))
      .sort()
      .map((page) => `man/${page}`),
  )
  const words = [join(folder, 'package/bin/panel.js'), 'api', '--list', '-o', 'name']
  expect(execFileSync(process.execPath, words, { env, encoding: 'utf8' })).toContain('listAccounts\n')
})
