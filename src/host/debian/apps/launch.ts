import { join } from 'node:path'
import { beforeStart, pathOf, programsOf, type Runnable } from '../../apps/runnable.ts'
import { homeOf } from '../../homes/home-paths.ts'
import { environmentOf } from '../../tenant/environment.ts'
import { programPath } from './unit.ts'

/** Quotes a word for the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Variables that systemd sets for a unit. */
const foreign = [
  'INVOCATION_ID',
  'JOURNAL_STREAM',
  'SYSTEMD_EXEC_PID',
  'MEMORY_PRESSURE_WATCH',
  'MEMORY_PRESSURE_WRITE',
]

/**
 * The script by which a shell becomes the app: unit files and command lines are world-readable, and this contains
 * secrets. The tenant reads it in its sandbox.
 */
export function launchText(app: Runnable, where: string, mark: string, root = '/'): string {
  const cwd = pathOf(root, app)
  const tenant = {
    ...environmentOf({ username: app.username, home: join(root, homeOf(app.username)), mark }),
    PATH: programPath,
  }
  const env = { ...tenant, ...programsOf(app.kind, cwd, tenant), ...app.env, PORT: where }
  return [
    `unset ${foreign.join(' ')}`,
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value ?? '')}`),
    'umask 022',
    `cd -P ${quoted(cwd)} || exit 98`,
    beforeStart(app.kind),
    `exec /bin/sh -c ${quoted(app.start)} < /dev/null`,
    '',
  ].join('\n')
}
