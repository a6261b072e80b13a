import { allSettled } from '../../shared/async/all-settled.ts'
import { HostError } from '../contract/error.ts'
import type { Checks, Staged } from '../install/engine.ts'
import { eachOf } from '../measure/pool.ts'
import { setAt } from '../parts/php/sets.ts'
import { checkOncePerShape } from './check-cache.ts'
import type { Run } from './commands.ts'
import { dateLogins } from './mail/logins.ts'
import { isScript, scriptCheck } from './mail/scripts.ts'
import { checkSites } from './sites.ts'
import { phpFpm } from './suite.ts'

/** Names that PHP parses as something else. */
const words = new Set(['global', 'null', 'none', 'true', 'false', 'yes', 'no', 'on', 'off'])

/** A pool with its account's names masked. */
export function poolShape(path: string, content: string): string | undefined {
  const { username, version } = setAt(path)!
  if (words.has(username)) return undefined
  return `${version} ${content}`
    .replaceAll(new RegExp(`\\b${username}\\b`, 'g'), '<name>')
    .replaceAll(/^(user|group) = \d+$/gm, '$1 = <id>')
    .replace(/@\S+$/m, '@<domain>')
}

/** Checks pools with PHP-FPM; of those that differ only in their accounts' names, only one. */
const poolCheck = (run: Run) =>
  checkOncePerShape(
    ({ path, file }) => poolShape(path, String(file.content)),
    async ({ path, staged }) => {
      const { version } = setAt(path)!
      const program = phpFpm({ php: version })
      await run(program, ['-t', '--fpm-config', staged], { stage: 'precheck' }).catch((error: unknown) => {
        if (!String(error).includes('ENOENT')) throw error
        throw new HostError('precheck', `PHP ${version} is not installed: panel host setup --php ${version}`)
      })
    },
  )

const zone = /^(?:etc|var\/lib)\/bind\/panel\/zones\/(.+)\.zone$/
const isPool = (path: string): boolean => setAt(path) !== undefined
const webFile = /^etc\/panel\/(?:nginx|tls)\//
const bindFile = /^(?:etc|var\/lib)\/bind\/panel\//

export const isWeb = (path: string): boolean => webFile.test(path)
export const isBind = (path: string): boolean => bindFile.test(path)
export const zoneOf = (path: string): string | undefined => zone.exec(path)?.[1]

const MAX_CONCURRENT_CHECKS = 4

/** The daemons' own checkers, run before files are moved into place and after. */
export function checksOf(run: Run, placed: (paths: readonly string[]) => void): Checks {
  const [checkPool, checkScript] = [poolCheck(run), scriptCheck(run)]
  const precheck = async (one: Staged): Promise<void> => {
    const name = zoneOf(one.path)
    if (name !== undefined) await run('/usr/bin/named-checkzone', ['-q', name, one.staged], { stage: 'precheck' })
    if (isScript(one.path)) await checkScript(one)
    if (isPool(one.path)) await checkPool(one)
  }
  return {
    precheck: async (staged) => {
      for (const one of staged) dateLogins(one)
      await eachOf(staged.toReversed(), MAX_CONCURRENT_CHECKS, precheck)
    },
    validate: async (paths) => {
      await allSettled([
        paths.some(isWeb) && checkSites(run, paths),
        paths.some(isBind) && run('/usr/bin/named-checkconf', [], { stage: 'validate' }),
      ])
      placed(paths)
    },
  }
}
