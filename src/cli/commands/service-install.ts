import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exit } from '../../shared/exit.ts'
import { packageRoot } from '../../shared/package-root.ts'
import { CliError } from '../errors.ts'
import { again, type Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { data, note } from '../terminal.ts'
import { serveOptions } from './serve.ts'
import { unitOf } from './service/unit.ts'
import { foundAt, placeOf, put, type UnitPlace } from './service/unit-file.ts'

/** Writes the systemd unit that runs the server, and says what to type next. */
export async function run(invocation: Invocation): Promise<void> {
  const place = placeOf(process.getuid?.() === 0)
  const text = textFor(invocation, place)
  if (invocation.option('dry-run')) return data(text)
  if (foundAt(place) === 'foreign' && !invocation.option('yes')) throw notOwned(invocation, place)
  put(place, text)
  for (const line of advice(place)) note(line)
  const { output, quiet } = invocation.globals
  if (quiet || output === 'table' || output === 'name') return data(`${place.file}\n`)
  return printDocument(invocation.globals, { file: place.file, system: place.system })
}

const serverWords = [
  'host',
  'hostname',
  'port',
  'front-socket',
  'whm-port',
  'whm-wait',
  'tls-cert',
  'tls-key',
  'log-level',
]

function textFor(invocation: Invocation, { system }: UnitPlace): string {
  const { dataDir, port } = serveOptions(invocation)
  const provided = serverWords.flatMap((name) => {
    const value = invocation.option(name)
    return value === undefined ? [] : [`--${name}`, String(value)]
  })
  const proxies = ((invocation.option('trust-proxy') as string[] | undefined) ?? []).flatMap((one) => [
    '--trust-proxy',
    one,
  ])
  const plain = invocation.option('tls') === false ? ['--no-tls'] : []
  const trusting = invocation.option('trust-tenants') === true ? ['--trust-tenants'] : []
  const words = ['serve', '--data-dir', dataDir, ...provided, ...proxies, ...plain, ...trusting]
  const program = join(packageRoot(), 'bin/panel.js')
  return unitOf({ command: [process.execPath, program, ...words], dataDir, system, lowPort: port < 1024 })
}

function* advice({ system, file, systemctl }: UnitPlace): Generator<string> {
  yield `${file} was written`
  if (!existsSync('/run/systemd/system'))
    yield 'systemd is not running here: the unit takes effect at the next boot with systemd'
  yield `next: ${systemctl} daemon-reload && ${systemctl} enable --now panel`
  if (!system) yield 'and, to run while you are not signed in: loginctl enable-linger'
}

const notOwned = (invocation: Invocation, { file }: UnitPlace): CliError =>
  new CliError(exit.conflict, {
    type: 'panel:exists',
    title: `${file} exists and was not written by panel`,
    hint: `to replace it: ${again(invocation, '--yes')}`,
  })
