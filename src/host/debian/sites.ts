import { existsSync, renameSync } from 'node:fs'
import { HostError } from '../contract/error.ts'
import type { Run } from './commands.ts'

export const sitesFolder = 'etc/panel/nginx/sites'
/** nginx includes only names that end in `.conf`. */
export const disabled = '.refused'
const MAX_SITES = 100

/**
 * Checks nginx's files. If it rejects another account's site, sets that file aside, as it would block every change and
 * every reload. The site is down until its account is applied again, and the log names it.
 */
export async function checkSites(run: Run, changed: readonly string[], root = '/'): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await run('/usr/sbin/nginx', ['-t', '-q'], { stage: 'validate' })
      return
    } catch (error) {
      const path = error instanceof HostError ? refusedIn(error.message) : undefined
      const isOthers = path !== undefined && !isOfChange(path, changed) && existsSync(`${root}${path}`)
      if (!isOthers || attempt === MAX_SITES) throw error
      renameSync(`${root}${path}`, `${root}${path}${disabled}`)
      process.stderr.write(
        `warning: /${path} was set aside as ${path.split('/').at(-1)}${disabled}: ${(error as Error).message}\n`,
      )
    }
  }
}

/** Exported for tests: the site that nginx rejects, named by its file or its certificate's. */
export function refusedIn(message: string): string | undefined {
  const name = /\/etc\/panel\/nginx\/(?:sites|include)\/([^\s:"/]+\.conf)\b/.exec(message)?.[1]
  const certificate = /\/etc\/panel\/tls\/([^\s:"/]+)\.(?:crt|key)\b/.exec(message)?.[1]
  const file = name ?? (certificate && `${certificate}.conf`)
  return file && `${sitesFolder}/${file}`
}

/** A change may break a site by its file, by what it includes, or by its certificate's. */
function isOfChange(path: string, changed: readonly string[]): boolean {
  const site = path.slice(sitesFolder.length + 1, -'.conf'.length)
  return changed.some(
    (one) =>
      one === path ||
      one === `etc/panel/nginx/include/${site}.conf` ||
      one === `etc/panel/tls/${site}.crt` ||
      one === `etc/panel/tls/${site}.key`,
  )
}
