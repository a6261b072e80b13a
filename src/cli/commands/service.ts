import { exit } from '../../shared/exit.ts'
import { CliError, inputNeeded } from '../errors.ts'
import { countOption } from '../input/values.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { placeOf } from './service/unit-file.ts'

type ServiceLine = readonly [string, ...string[]]

/** `panel service status|logs|restart`, by way of systemd. */
export async function run(invocation: Invocation): Promise<void> {
  const { system } = placeOf(process.getuid?.() === 0)
  const [program, ...words] = lines[invocation.command.words.at(-1) ?? '']?.(invocation) ?? []
  if (program === undefined) throw inputNeeded('Which?', 'panel service --help')
  process.exitCode = await runs([program, ...(system ? [] : ['--user']), ...words])
}

const lines: Readonly<Record<string, (invocation: Invocation) => ServiceLine>> = {
  status: () => ['systemctl', 'status', '--no-pager', 'panel'],
  restart: () => ['systemctl', 'restart', 'panel'],
  logs: (invocation) => [
    'journalctl',
    '--unit=panel',
    '--output=cat',
    `--lines=${countOption('lines', textOption(invocation, 'lines') ?? '100')}`,
    invocation.option('follow') ? '--follow' : '--no-pager',
  ],
}

/** Runs a program in this terminal; returns its exit code. */
function runs([program, ...words]: ServiceLine): Promise<number> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'inherit' })
    child.once('error', () => reject(noSystemd(program)))
    child.once('close', (code) => resolve(code ?? exit.interrupted))
  })
}

const noSystemd = (program: string): CliError =>
  new CliError(exit.error, {
    type: 'panel:problems/no-systemd',
    title: `${program} was not found: these commands need systemd`,
    hint: 'run the server in the foreground with panel serve',
  })
