import type { CronCommand } from '../../contract/commands/cron.ts'
import { homeOf } from '../../homes/home-paths.ts'
import { environmentOf } from '../../tenant/environment.ts'
import { needsSocket } from '../db/sockets.ts'
import { accountPath } from '../php/command.ts'
import { sandboxProperties, sliceOf } from '../sandbox.ts'
import { needsTerminals } from '../terminals.ts'
import { readOutput } from './run.ts'

/** The units of an account's commands; a username has no hyphen. */
export const unitsOf = (username: string): string => `panel-cron-${username}-*.service`
export const allUnits = 'panel-cron-*.service'
export const unitOf = ({ account, run }: CronCommand): string => `panel-cron-${account.username}-${run}.service`
/** The run that a unit belongs to. */
export const runIn = (unit: string): string => /-([^-]+)\.service$/.exec(unit)?.[1] ?? ''
/** The machine's own unit, which waits for a run's end. */
export const keeperOf = (run: string): string => `panel-keeper-${run}.service`

/** Reads the command from standard input, as unit properties are world-readable. */
const shell = 'umask 022; IFS= read -r c; exec /bin/sh -c "$c" < /dev/null 2>&1'
/** After the agent's own limit, which normally applies first. */
const graceS = 30

/** After the unit's own limit. */
const outputGraceS = 30

const MAX_REPORT_BYTES = 4096

/**
 * Feeds a command its input and keeps the end of its output, which gets its final name once the command has ended, and
 * of systemd's report. The command's first process has both outputs of systemd-run, which any process of the tenant can
 * take from it: so both are pipes, never files of root's that a tenant could fill. Who holds one is not waited for, and
 * what was said is lost.
 */
const keeping = [
  'p=$1 t=$2; shift 2; exec < "$p.in"; rm "$p.in"',
  'keep() { timeout --signal=KILL "$t" tail -c "$1" > "$2"; }',
  `{ "$@" 2>&1 >&3 | keep ${MAX_REPORT_BYTES} "$p.said" 3>&-; } 3>&1 | keep ${readOutput} "$p.part"`,
  'mv "$p.part" "$p.out"',
].join('; ')

/** systemd-run's arguments to keep a run's result at a path, even without the agent. */
export const keeperWords = (command: CronCommand, path: string): string[] => [
  '--quiet',
  '--collect',
  '--service-type=exec',
  `--unit=${keeperOf(command.run)}`,
  `--description=Keeps what a run of cron of ${command.account.username} says`,
  '--property=UMask=0077',
  '--setenv=LC_ALL=C.UTF-8',
  ...['/bin/sh', '-c', keeping, 'sh', path, String(command.timeoutS + graceS + outputGraceS)],
  ...['/usr/bin/systemd-run', ...wordsOf(command)],
]

/** systemd-run's arguments to run a command as its tenant, in its slice. */
export function wordsOf(command: CronCommand): string[] {
  const { username, uid } = command.account
  const home = `/${homeOf(username)}`
  const properties = [
    ...needsSocket(username),
    ...needsTerminals(username),
    ...sandboxProperties(username),
    'Nice=10',
    'TimeoutStopSec=2',
    `RuntimeMaxSec=${command.timeoutS + graceS}`,
  ]
  const environment = Object.entries({ ...environmentOf({ username, home, mark: command.run }), PATH: accountPath })
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
