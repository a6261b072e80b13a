import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { homeOf } from '../../homes/home-paths.ts'
import { environmentOf } from '../../tenant/environment.ts'
import { type PhpScript, phpOptions, tookTooLong } from '../../tenant/php.ts'
import { phpOutput } from '../../tenant/php-output.ts'
import { type Run, systemEnvironment } from '../commands.ts'
import { needsSocket } from '../db/sockets.ts'
import { sandboxProperties, sliceOf } from '../sandbox.ts'
import { needsTerminals } from '../terminals.ts'

/** The units of an account's scripts; a username has no hyphen. */
export const scriptUnits = (username: string): string => `panel-script-${username}-*.service`
export const allScriptUnits = 'panel-script-*.service'

/** Exported for tests: systemd-run's arguments for a script, which comes through standard input. */
export function scriptWords({ account: { username, uid }, php, timeoutS }: PhpScript, unit: string): string[] {
  const home = `/${homeOf(username)}`
  const properties = [
    ...needsSocket(username),
    ...needsTerminals(username),
    ...sandboxProperties(username),
    'PrivateNetwork=yes',
    'MemoryMax=512M',
    'TasksMax=64',
    'Nice=10',
    'TimeoutStopSec=2',
    `RuntimeMaxSec=${timeoutS}`,
  ]
  const environment = Object.entries(environmentOf({ username, home, mark: unit }))
  return [
    ...['--quiet', '--pipe', '--wait', '--collect', '--service-type=exec', `--unit=${unit}`],
    ...[`--slice=${sliceOf(username)}`, `--uid=${uid}`, `--gid=${uid}`, `--working-directory=${home}`],
    ...properties.map((property) => `--property=${property}`),
    ...environment.map(([name, value]) => `--setenv=${name}=${value}`),
    ...['/bin/sh', '-c', 'umask 022; exec "$0" "$@" 2> /dev/null', `/usr/bin/php${php}`, ...phpOptions],
  ]
}

/** Runs a script as its tenant, in its slice, without a network; what it leaves running ends with its unit. */
export async function runScript(run: Run, script: PhpScript, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted()
  const unit = scriptUnits(script.account.username).replace('*', randomBytes(8).toString('hex'))
  const child = spawn('/usr/bin/systemd-run', scriptWords(script, unit), {
    cwd: '/',
    env: systemEnvironment,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const kill = () =>
    void run('/usr/bin/systemctl', ['kill', '--kill-whom=all', '--signal=KILL', unit], { fine: [1, 5] }).catch(() => {})
  signal?.addEventListener('abort', kill, { once: true })
  const begun = performance.now()
  try {
    const output = await phpOutput(child, script.script, kill)
    signal?.throwIfAborted()
    if (performance.now() - begun >= script.timeoutS * 1000) throw tookTooLong(script.timeoutS)
    return output
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}
