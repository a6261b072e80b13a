import { basename } from 'node:path'
import { allSettled } from '../../shared/async/all-settled.ts'
import type { Checks, Staged } from '../install/engine.ts'
import { eachOf } from '../measure/pool.ts'
import { checkOncePerShape } from './check-cache.ts'
import type { Run } from './commands.ts'
import { dateLogins } from './mail/logins.ts'
import { isScript, scriptCheck } from './mail/scripts.ts'
import { checkSites } from './sites.ts'
import { phpFpm, type Suite } from './suite.ts'

/** Names that PHP parses as something else. */
const words = new Set(['global', 'null', 'none', 'true', 'false', 'yes', 'no', 'on', 'off'])

/** A pool with its account's names masked. */
function shapeOf({ path, file }: Staged): string | undefined {
  const username = basename(path, '.conf')
  if (words.has(username)) return undefined
  return file.content
    .replaceAll(new RegExp(`\\b${username}\\b`, 'g'), '<name>')
    .replaceAll(/^(user|group) = \d+$/gm, '$1 = <id>')
    .replace(/@\S+$/m, '@<domain>')
}

/** Checks pools with PHP-FPM; of those that differ only in their accounts' names, only one. */
const poolCheck = (run: Run, suite: Suite) =>
  checkOncePerShape(shapeOf, ({ staged }) => run(phpFpm(suite), ['-t', '--fpm-config', staged], { stage: 'precheck' }))

const zone = /^(?:etc|var\/lib)\/bind\/panel\/zones\/(.+)\.zone$/
const pool = /^etc\/panel\/php\/[^/]+\.conf$/
const webFile = /^etc\/panel\/(?:nginx|tls)\//
const bindFile = /^(?:etc|var\/lib)\/bind\/panel\//

export const isWeb = (path: string): boolean => webFile.test(path)
export const isBind = (path: string): boolean => bindFile.test(path)
export const zoneOf = (path: string): string | undefined => zone.exec(path)?.[1]

const MAX_CONCURRENT_CHECKS = 4

/** The daemons' own checkers, run before files are moved into place and after. */
export function checksOf(run: Run, suite: Suite, placed: (paths: readonly string[]) => void): Checks {
  const [checkPool, checkScript] = [poolCheck(run, suite), scriptCheck(run)]
  const precheck = async (one: Staged): Promise<void> => {
    const name = zoneOf(one.path)
    if (name !== undefined) await run('/usr/bin/named-checkzone', ['-q', name, one.staged], { stage: 'precheck' })
    if (isScript(one.path)) await checkScript(one)
    if (pool.test(one.path)) await checkPool(one)
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
