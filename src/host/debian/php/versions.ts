import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PhpVersion } from '../../contract/commands/state.ts'
import type { PhpFacts } from '../../contract/facts.ts'
import { phpFpm, type Suite } from '../suite.ts'

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** The versions of PHP-FPM that are installed. */
export const installedVersions = (root = ''): string[] =>
  namesIn(`${root}/usr/sbin`)
    .flatMap((name) => /^php-fpm(\d{1,2}\.\d{1,2})$/.exec(name)?.[1] ?? [])
    .sort()

const isExtension = (name: string): boolean => /^[a-z0-9_]{1,40}$/.test(name)

/** Debian names the file after the extension; those of the engine itself are loaded only at its start. */
function loadable(root: string, version: string): string[] {
  const folder = `${root}/etc/php/${version}/mods-available`
  return namesIn(folder)
    .flatMap((file) => /^(.+)\.ini$/.exec(file)?.[1] ?? [])
    .filter((name) => isExtension(name) && /^\s*extension\s*=/m.test(readFileSync(join(folder, `${name}.ini`), 'utf8')))
    .sort()
}

/** Those that are loaded whatever a pool says. */
const loadedBy = (root: string, version: string): string[] =>
  namesIn(`${root}/etc/php/${version}/fpm/conf.d`).flatMap((file) => /^\d+-(.+)\.ini$/.exec(file)?.[1] ?? [])

/** As they are reported to the panel. */
export const reportedVersions = ({ php }: Suite, root = ''): PhpVersion[] =>
  installedVersions(root).map((version) => ({ version, default: version === php, extensions: loadable(root, version) }))

/** What rendering depends on. */
export const phpFacts = ({ php }: Suite, root = ''): PhpFacts => ({
  default: php,
  loaded: Object.fromEntries(installedVersions(root).map((version) => [version, loadedBy(root, version)])),
})

/** Whether PHP-FPM of a version is installed. */
export const isInstalled = (version: string, root = ''): boolean => existsSync(root + phpFpm({ php: version }))
