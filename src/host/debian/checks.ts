import { allOf } from '../all-of.ts'
import type { Checks, Staged } from '../install/engine.ts'
import { eachOf } from '../measure/pool.ts'
import type { Run } from './commands.ts'
import { checkScript } from './mail/scripts.ts'
import { judgeSites } from './sites.ts'
import { phpFpm, type Suite } from './suite.ts'

const zone = /^(?:etc|var\/lib)\/bind\/panel\/zones\/(.+)\.zone$/
const pool = /^etc\/panel\/php\/[^/]+\.conf$/
const webFile = /^etc\/panel\/(?:nginx|tls)\//
const bindFile = /^(?:etc|var\/lib)\/bind\/panel\//

export const isWeb = (path: string): boolean => webFile.test(path)
export const isBind = (path: string): boolean => bindFile.test(path)
export const zoneOf = (path: string): string | undefined => zone.exec(path)?.[1]

const atOnce = 4

/** The daemons' own checkers, asked before files take their places and after. */
export const checksOf = (run: Run, suite: Suite, placed: (paths: readonly string[]) => void): Checks => ({
  precheck: async (staged) => {
    await eachOf(staged.toReversed(), atOnce, (one) => precheck(run, suite, one))
  },
  validate: async (paths) => {
    await allOf([
      paths.some(isWeb) && judgeSites(run, paths),
      paths.some(isBind) && run('/usr/bin/named-checkconf', [], { stage: 'validate' }),
    ])
    placed(paths)
  },
})

async function precheck(run: Run, suite: Suite, one: Staged): Promise<void> {
  const { path, staged } = one
  const name = zoneOf(path)
  if (name !== undefined) await run('/usr/bin/named-checkzone', ['-q', name, staged], { stage: 'precheck' })
  await checkScript(run, one)
  if (pool.test(path)) await run(phpFpm(suite), ['-t', '--fpm-config', staged], { stage: 'precheck' })
}
