import { existsSync, readFileSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { dataDirectory } from '../../shared/directory.ts'
import { exit } from '../../shared/exit.ts'
import { writePrivate } from '../../shared/files.ts'
import { replicaFile, replicaMark } from '../../shared/replica.ts'
import { CliError, usage } from '../errors.ts'
import { secretFromOption } from '../input/secrets.ts'
import { again, type Invocation, textOption } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { data, note } from '../terminal.ts'
import { configOf } from './replica/config.ts'
import { type Destination, destinationOf } from './replica/destination.ts'
import { keyFor, madeFor, ownerOf } from './replica/owner.ts'
import { asWritten, programOf } from './replica/program.ts'
import { replicatorUnit, unitMark, unitName } from './replica/unit.ts'
import { foundAt, placeOf, put, type UnitPlace } from './service/unit-file.ts'

const DEFAULT_PORT = 7713

/** Sets up the store's replica: Litestream's configuration, and the unit that runs it. */
export async function run(invocation: Invocation): Promise<void> {
  const { globals } = invocation
  const dataDir = dataDirectory(globals.dataDir)
  const destination = destinationOf(textOption(invocation, 'to') ?? missing())
  refuseSamePlace(destination, dataDir)
  const access = accessTo(destination, invocation)
  const port = portOf(textOption(invocation, 'monitor-port'))
  const program = programOf(textOption(invocation, 'program'))
  const place = placeOf(process.getuid?.() === 0, unitName)
  const file = replicaFile(dataDir)
  refuseForeign(invocation, file, place)
  const owner = ownerOf(dataDir)
  const folders = [dataDir, ...(destination.type === 'file' ? [madeFor(owner, destination.label)] : [])]
  const key = access['key-path'] && { 'key-path': keyFor(owner, access['key-path'], dataDir) }
  writePrivate(file, configOf({ dataDir, destination, port, access: { ...access, ...key } }))
  const command = [program, 'replicate', '-config', file, asWritten]
  put(place, replicatorUnit({ command, folders, system: place.system, ...(owner && { owner }) }))
  for (const line of globals.quiet ? [] : advice(dataDir, file, place, destination)) note(line)
  if (globals.quiet || globals.output === 'table' || globals.output === 'name') return data(`${file}\n`)
  return printDocument(globals, { to: destination.label, config: file, unit: place.file, program })
}

function missing(): never {
  throw usage('--to is needed', 'panel replica init --to sftp://user@host/path --key-file FILE')
}

function portOf(provided: string | undefined): number {
  const port = Number(provided ?? DEFAULT_PORT)
  if (Number.isInteger(port) && port > 0 && port <= 65_535) return port
  throw usage(`--monitor-port must be a number from 1 to 65535, not ${provided}`)
}

/** Without keys, Litestream uses the machine's: its role, or its environment. */
function accessTo({ type }: Destination, invocation: Invocation): Record<string, string> {
  const option = (name: string): string | undefined => textOption(invocation, name)
  const values = {
    s3: { 'access-key-id': option('access-key-id'), region: option('region'), endpoint: option('endpoint') },
    sftp: { 'key-path': keyOf(option('key-file')) },
    file: {},
  }[type]
  const secret = type === 's3' ? secretFromOption('secret-access-key', (name) => invocation.option(name)) : undefined
  if (type === 's3' && (secret === undefined) !== (option('access-key-id') === undefined))
    throw usage('--access-key-id needs its secret, and the secret its id', 'use --secret-access-key-file FILE')
  if (type === 'sftp' && !option('key-file')) throw usage('--key-file is needed: the private key that signs in there')
  const all = { ...values, 'secret-access-key': secret }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<string, string>
}

function keyOf(file: string | undefined): string | undefined {
  if (file !== undefined && !existsSync(file)) throw usage(`--key-file: ${file} does not exist`)
  return file && resolve(file)
}

const inside = (folder: string): string => (folder === sep ? sep : resolve(folder) + sep)

/** The disk that takes the one must not take the other with it. */
function refuseSamePlace({ type, label }: Destination, dataDir: string): void {
  const [one, other] = [inside(label), inside(dataDir)]
  if (type === 'file' && (one.startsWith(other) || other.startsWith(one)))
    throw usage(`--to ${label} must be apart from the data directory, ${dataDir}`, 'use a folder of another disk')
}

function refuseForeign(invocation: Invocation, config: string, place: UnitPlace): void {
  if (invocation.option('yes')) return
  const foreign = [
    ...(existsSync(config) && !readFileSync(config, 'utf8').startsWith(replicaMark) ? [config] : []),
    ...(foundAt(place, unitMark) === 'foreign' ? [place.file] : []),
  ]
  if (foreign.length === 0) return
  throw new CliError(exit.conflict, {
    type: 'panel:exists',
    title: `${foreign.join(' and ')} was not written by panel`,
    hint: `to replace it: ${again(invocation, '--yes')}`,
  })
}

function* advice(dataDir: string, file: string, { systemctl }: UnitPlace, { type }: Destination): Generator<string> {
  yield `${file} was written, for its owner alone`
  yield `not in the copy: ${dataDir}/secret.key and ${dataDir}/tls. Keep a copy of them elsewhere: without secret.key no server can take over`
  if (type === 'sftp') yield 'Litestream does not check the host key of the other side: use a network that you trust'
  // A running one only reads its configuration at start.
  yield `next: ${systemctl} daemon-reload && ${systemctl} enable ${unitName} && ${systemctl} restart ${unitName}`
  yield 'then: panel replica status, and now and then: panel replica drill'
}
