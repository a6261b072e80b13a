import { readFileSync } from 'node:fs'
import { isAccountUid } from '../../shared/account-uids.ts'
import { endAllOf } from './processes.ts'

const POLL_INTERVAL_MS = 10_000
/** Ports of one account from which connections start: its open sockets can take 1,000, the rest are of accepted ones. */
const MAX_PORTS = 3_000
const FIRST_PORT = 32_768

const tcpConnections = (proc: string): number =>
  ['sockstat', 'sockstat6']
    .map((name) => Number(/^TCP6?: inuse (\d+)/m.exec(readFileSync(`${proc}/net/${name}`, 'utf8'))?.[1] ?? 0))
    .reduce((sum, one) => sum + one, 0)

/** Ports from which connections start, by the account whose sockets have them. */
function portsByUid(proc: string): Map<number, Set<string>> {
  const ports = new Map<number, Set<string>>()
  for (const table of ['tcp', 'tcp6'])
    for (const [, port = '', uid] of readFileSync(`${proc}/net/${table}`, 'utf8').matchAll(
      /^ *\d+: [\dA-F]+:([\dA-F]{4}) \S+ \S+ \S+ \S+ \S+ +(\d+)/gm,
    )) {
      if (!isAccountUid(Number(uid)) || Number.parseInt(port, 16) < FIRST_PORT) continue
      ports.set(Number(uid), (ports.get(Number(uid)) ?? new Set()).add(port))
    }
  return ports
}

/**
 * The kernel limits the sockets that an account opens (the step `sockets`), not those that it accepts, which have the port
 * of a listener that may be gone. Ends all programs of accounts that have taken thousands of ports like that.
 */
export async function endPortHolders(proc = '/proc', end: (uid: number) => Promise<void> = endAllOf): Promise<void> {
  if (tcpConnections(proc) <= MAX_PORTS) return
  for (const [uid, { size }] of portsByUid(proc)) {
    if (size <= MAX_PORTS) continue
    process.stderr.write(`warning: all programs of ${uid} were ended: their connections had ${size} ports\n`)
    await end(uid).catch(({ message }: Error) => void process.stderr.write(`warning: ${message}\n`))
  }
}

export function watchPorts(): void {
  let turn = Promise.resolve()
  setInterval(() => {
    turn = turn.then(() => endPortHolders()).catch(() => {})
  }, POLL_INTERVAL_MS).unref()
}
