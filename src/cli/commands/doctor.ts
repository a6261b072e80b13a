import { dirname, join, resolve } from 'node:path'
import { exit } from '../../shared/exit.ts'
import { CliError } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { printTable } from '../output/print.ts'
import { viewWith } from '../output/view.ts'
import { createClient } from '../request/client.ts'
import { chooseTarget } from '../target/choose.ts'
import type { ServerTarget } from '../target/target.ts'
import { data, isTty, paintFor, printable, type Style } from '../terminal.ts'
import { bare, certificateCheck, type Listener, localListener } from './doctor/certificate.ts'
import { bad, type Check } from './doctor/check.ts'
import { directoryChecks } from './doctor/directory.ts'
import { replicaChecks } from './doctor/replica.ts'
import { originOf, serverChecks } from './doctor/server.ts'
import { socketCheck } from './doctor/socket.ts'
import { workChecks } from './doctor/work.ts'

/** Reports what is wrong with this host or context, and how to fix it. */
export async function run(invocation: Invocation): Promise<void> {
  const target = chooseTarget(invocation.globals)
  const checks = [...(target.socket ? await hostChecks(invocation, target.socket) : []), ...(await reached(target))]
  await print(invocation, checks)
  if (checks.some(({ status }) => status === 'bad')) process.exitCode = exit.error
}

async function hostChecks({ globals }: Invocation, socket: string): Promise<Check[]> {
  const dataDir = dirname(socket)
  const directory = directoryChecks(dataDir)
  if (directory.some(({ check, status }) => check === 'directory' && status === 'bad')) return directory
  const [reached, copied] = await Promise.all([
    socketCheck(socket, startLine(dataDir, globals.dataDir)),
    replicaChecks(dataDir),
  ])
  return [...directory, reached, ...copied]
}

function startLine(directory: string, named?: string): string {
  if (directory === resolve('.panel')) return 'npm start'
  return named ? `panel serve --data-dir ${named}` : 'systemctl start panel, or: panel serve'
}

/** Checks of a reachable server. */
async function reached(target: ServerTarget): Promise<Check[]> {
  const server = await serverChecks(target).catch(asCheck)
  if (server.length === 1) return target.socket ? [] : [...server, ...(await certificate(target))]
  const work = await workChecks(createClient(target), target.socket !== undefined).catch(asCheck)
  return [...server, ...(await certificate(target)), ...work]
}

function asCheck(error: unknown): Check[] {
  if (!(error instanceof CliError)) throw error
  const { title, hint } = error.problem
  return [bad('server', `${title}.`, hint ?? 'panel whoami')]
}

async function certificate(target: ServerTarget): Promise<Check[]> {
  const listener = target.socket ? await ownListener(target) : listenerOf(target)
  return listener ? [await certificateCheck(listener)] : []
}

async function ownListener(target: ServerTarget): Promise<Listener | undefined> {
  const origin = await originOf(target)
  if (origin?.protocol !== 'https:') return undefined
  return localListener(origin, join(target.socket ?? '', '../tls/cert.pem'))
}

function listenerOf({ url, ca, pin }: ServerTarget): Listener | undefined {
  if (url.protocol !== 'https:') return undefined
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const trusted = ca && { ca: [readFileSync(ca)] }
  return {
    host: bare(url),
    port: Number(url.port || 443),
    name: bare(url),
    ...(pin && { known: 'by key' }),
    ...trusted,
  }
}

const columns = ['status', 'check', 'message', 'next'].map((field) => ({ field }))
const styles: Readonly<Record<Check['status'], Style>> = { ok: 'green', warn: 'yellow', bad: 'red' }

async function print(invocation: Invocation, checks: readonly Check[]): Promise<void> {
  const { output, quiet } = invocation.globals
  if (quiet || output === 'name')
    return data(
      checks
        .filter(isProblem)
        .map(({ check }) => `${check}\n`)
        .join(''),
    )
  if (output !== 'table' || !isTty()) return printTable(viewWith(invocation, columns), checks as never)
  const paint = await paintFor(process.stdout)
  const width = Math.max(...checks.map(({ check }) => check.length)) + 2
  for (const { status, check, message, next } of checks) {
    data(`${paint(styles[status], status.padEnd(6))}${check.padEnd(width)}${printable(message)}\n`)
    if (next) data(`${' '.repeat(6 + width)}${paint('dim', '→')} ${printable(next)}\n`)
  }
}

const isProblem = ({ status }: Check): boolean => status !== 'ok'
