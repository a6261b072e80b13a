import { allOf } from '../all-of.ts'
import type { Checks, Staged } from '../install/engine.ts'
import { eachOf } from '../measure/pool.ts'
import type { Run } from './commands.ts'
import { dateLogins } from './mail/logins.ts'
import { isScript, scriptJudge } from './mail/scripts.ts'
import { poolJudge } from './pools.ts'
import { judgeSites } from './sites.ts'
import type { Suite } from './suite.ts'

const zone = /^(?:etc|var\/lib)\/bind\/panel\/zones\/(.+)\.zone$/
const pool = /^etc\/panel\/php\/[^/]+\.conf$/
const webFile = /^etc\/panel\/(?:nginx|tls)\//
const bindFile = /^(?:etc|var\/lib)\/bind\/panel\//

export const isWeb = (path: string): boolean => webFile.test(path)
export const isBind = (path: string): boolean => bindFile.test(path)
export const zoneOf = (path: string): string | undefined => zone.exec(path)?.[1]

const atOnce = 4

/** The daemons' own checkers, run before files are moved into place and after. */
export function checksOf(run: Run, suite: Suite, placed: (paths: readonly string[]) => void): Checks {
  const [judgePool, judgeScript] = [poolJudge(run, suite), scriptJudge(run)]
  const precheck = async (one: Staged): Promise<void> => {
    const name = zoneOf(one.path)
    if (name !== undefined) await run('/usr/bin/named-checkzone', ['-q', name, one.staged], { stage: 'precheck' })
    if (isScript(one.path)) await judgeScript(one)
    if (pool.test(one.path)) await judgePool(one)
  }
  return {
    precheck: async (staged) => {
      for (const one of staged) dateLogins(one)
      await eachOf(staged.toReversed(), atOnce, precheck)
    },
    validate: async (paths) => {
      await allOf([
        paths.some(isWeb) && judgeSites(run, paths),
        paths.some(isBind) && run('/usr/bin/named-checkconf', [], { stage: 'validate' }),
      ])
      placed(paths)
    },
  }
}
