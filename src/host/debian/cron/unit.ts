import type { CronCommand } from '../../commands.ts'
import { homeOf } from '../../home.ts'
import { environmentOf } from '../../tenant/environment.ts'
import { sandboxProperties, sliceOf } from '../sandbox.ts'

/** The units of an account's commands; a username has no hyphen. */
export const unitsOf = (username: string): string => `panel-cron-${username}-*.service`
export const allUnits = 'panel-cron-*.service'
export const unitOf = ({ account, run }: CronCommand): string => `panel-cron-${account.username}-${run}.service`

/** Reads the command from standard input: what stands in a unit, everybody can read. */
const shell = 'umask 022; IFS= read -r c; exec /bin/sh -c "$c" < /dev/null 2>&1'
/** Later than the agent, which says that it was the time. */
const graceS = 30

/** What systemd-run is told, so that a command runs as its tenant, in its slice. */
export function wordsOf(command: CronCommand): string[] {
  const { username, uid } = command.account
  const home = `/${homeOf(username)}`
  const properties = [
    ...sandboxProperties(username),
    'Nice=10',
    'TimeoutStopSec=2',
    `RuntimeMaxSec=${command.timeoutS + graceS}`,
  ]
  const environment = Object.entries(environmentOf({ username, home, mark: command.run }))
  return [
    '--pipe',
    '--wait',
    '--collect',
    '--service-type=exec',
    `--unit=${unitOf(command)}`,
    `--slice=${sliceOf(username)}`,
    `--uid=${uid}`,
    `--gid=${uid}`,
    `--working-directory=${home}`,
    ...properties.map((property) => `--property=${property}`),
    ...environment.map(([name, value]) => `--setenv=${name}=${value}`),
    '/bin/sh',
    '-c',
    shell,
  ]
}
