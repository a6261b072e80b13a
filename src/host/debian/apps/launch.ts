import { join } from 'node:path'
import { followsPlace, pathOf, programsOf, type Runnable } from '../../apps/runnable.ts'
import { homeOf } from '../../home.ts'
import { environmentOf } from '../../tenant/environment.ts'
import { programPath } from './unit.ts'

/** A word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** What systemd tells of a unit. */
const foreign = [
  'INVOCATION_ID',
  'JOURNAL_STREAM',
  'SYSTEMD_EXEC_PID',
  'MEMORY_PRESSURE_WATCH',
  'MEMORY_PRESSURE_WRITE',
]

/**
 * The script that a shell reads to become the app: what stands in a unit or in words everybody can read, and here are
 * secrets. It is read as the tenant, in its sandbox.
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
    ...(app.kind === 'python' ? [followsPlace] : []),
    `exec /bin/sh -c ${quoted(app.start)} < /dev/null`,
    '',
  ].join('\n')
}
