import { basename } from 'node:path'
import type { Staged } from '../install/engine.ts'
import type { Run } from './commands.ts'
import { judgeOnce } from './judged.ts'
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
export const poolJudge = (run: Run, suite: Suite) =>
  judgeOnce(shapeOf, ({ staged }) => run(phpFpm(suite), ['-t', '--fpm-config', staged], { stage: 'precheck' }))
