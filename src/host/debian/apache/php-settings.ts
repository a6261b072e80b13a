import { readFileSync } from 'node:fs'
import { eachOf } from '../../measure/pool.ts'
import { configOf } from '../../parts/apache/config.ts'
import { accountOfApacheUnit } from '../../parts/apache/units.ts'
import type { Run } from '../commands.ts'
import { userNamed } from '../names.ts'
import type { Workers } from '../worker/pool.ts'

const POLL_INTERVAL_MS = 20_000
/** A hostile account keeps its worker for a minute; the others go on beside it. */
const MAX_ACCOUNTS_AT_ONCE = 4

/** The document roots of an account's Apache, below its home. */
export const rootsIn = (config: string, username: string): string[] => [
  ...new Set(
    [...config.matchAll(/^ {2}DocumentRoot "(.+)"$/gm)].flatMap(([, root]) =>
      root!.startsWith(`/home/${username}/`) ? [root!.slice(`/home/${username}/`.length)] : [],
    ),
  ),
]

/** While accounts' Apaches run, passes on to PHP what their `.htaccess` files set. */
export function watchPhpSettings(run: Run, workers: Workers): void {
  let isBusy = false
  setInterval(async () => {
    if (isBusy) return
    isBusy = true
    await passOnAll(run, workers).catch(warn)
    isBusy = false
  }, POLL_INTERVAL_MS).unref()
}

async function passOnAll(run: Run, workers: Workers): Promise<void> {
  await eachOf(await running(run), MAX_ACCOUNTS_AT_ONCE, (username) => passOn(workers, username).catch(warn))
}

/** The accounts whose Apache runs. */
async function running(run: Run): Promise<string[]> {
  const units = ['list-units', '--plain', '--no-legend', '--state=active', 'panel-apache-*.service']
  const output = await run('/usr/bin/systemctl', units)
  return output.split('\n').flatMap((line) => accountOfApacheUnit(line.split(' ', 1)[0]!) ?? [])
}

/** Has the account itself pass on what its files set. */
async function passOn(workers: Workers, username: string): Promise<void> {
  const user = userNamed(username)
  if (!user) return
  for (const root of rootsIn(readFileSync(`/${configOf(username)}`, 'utf8'), username)) {
    const input = { root: Buffer.from(root).toString('base64'), apply: true }
    await workers.ask({ username, uid: user.uid }, 'act', { verb: 'userIni', input }).done()
  }
}

const warn = ({ message }: Error): void => void process.stderr.write(`warning: settings of PHP: ${message}\n`)
