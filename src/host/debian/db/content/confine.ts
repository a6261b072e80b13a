import { randomBytes } from 'node:crypto'
import type { Run } from '../../commands.ts'
import { groupId } from '../../names.ts'
import { hiddenPlaces, sliceOf } from '../../sandbox.ts'
import { sqlGroup } from '../sockets.ts'
import type { RunningProcess } from './process.ts'

/** How to run a client that reads a tenant's statements; `first` goes to its input before them. */
export type Confine = (
  username: string,
  words: readonly [string, ...string[]],
  password: string,
) => Pick<RunningProcess, 'program' | 'args' | 'env' | 'end'> & { readonly first?: string }

/** As this process's own user, as in tests. */
export const openly: Confine = (_, [program, ...args], password) => ({ program, args, env: { MYSQL_PWD: password } })

/** The password is a line of standard input, as properties of units and arguments are world-readable. */
const shell = 'IFS= read -r MYSQL_PWD; export MYSQL_PWD; exec "$@"'
const LOAD_TIMEOUT_S = 6 * 3600

const properties = [
  'DynamicUser=yes',
  'CapabilityBoundingSet=',
  'ProtectHome=yes',
  'ProtectProc=invisible',
  'PrivateDevices=yes',
  'PrivateIPC=yes',
  'PrivateNetwork=yes',
  `InaccessiblePaths=-/etc/panel ${hiddenPlaces}`,
  `RuntimeMaxSec=${LOAD_TIMEOUT_S}`,
]

/** On a machine that was set up before there was such a group, every user reaches MariaDB. */
const reachesServer = (): string[] => (groupId(sqlGroup) === undefined ? [] : [`SupplementaryGroups=${sqlGroup}`])

/**
 * In a unit of the tenant's slice, whose limits apply, as a user of its own: no program of the tenant may stop it, take
 * over its channels or leave its sandbox through it.
 */
export const inSlice =
  (run: Run): Confine =>
  (username, words, password) => {
    const unit = `panel-load-${username}-${randomBytes(4).toString('hex')}.service`
    const args = [
      ...['--quiet', '--pipe', '--wait', '--collect', '--service-type=exec'],
      ...[`--unit=${unit}`, `--description=Restore of a database of ${username}`, `--slice=${sliceOf(username)}`],
      ...['--setenv=LC_ALL=C.UTF-8', ...[...properties, ...reachesServer()].map((one) => `--property=${one}`)],
      ...['/bin/sh', '-c', shell, 'sh', ...words],
    ]
    const kill = ['kill', '--kill-whom=all', '--signal=KILL', unit]
    const end = (): void => void run('/usr/bin/systemctl', kill, { fine: [1, 5] }).catch(() => {})
    return { program: '/usr/bin/systemd-run', args, first: `${password}\n`, end }
  }
