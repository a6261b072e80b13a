import type { FirewallReport } from '../../contract/commands/firewall.ts'
import type { Run } from '../commands.ts'
import { plainText } from './plain-text.ts'

type Listener = FirewallReport['listening'][number]

/** Below the ports from which programs ask: answers arrive there. */
const FIRST_EPHEMERAL_PORT = 32_768
const MAX_LISTENERS = 1000

const line = /^(tcp|udp)\s+\S+\s+\d+\s+\d+\s+(\S+):(\d+)\s+\S+(?:\s+users:\(\("([^"]*)")?/

/** What listens for other machines. */
export async function listeners(run: Run): Promise<readonly Listener[]> {
  const text = await run('/usr/bin/ss', ['-H', '-l', '-n', '-t', '-u', '-p'])
  const all = text.split('\n').flatMap((one) => listenerIn(one) ?? [])
  return [...new Map(all.map((one) => [`${one.port} ${one.proto} ${one.address}`, one])).values()].slice(
    0,
    MAX_LISTENERS,
  )
}

/** Exported for tests. */
export function listenerIn(text: string): Listener | undefined {
  const [, proto, address = '', digits, program] = line.exec(text) ?? []
  const port = Number(digits)
  if (!proto || /^(?:127\.|\[::1\]|\[::ffff:127\.)/.test(address)) return undefined
  if (proto === 'udp' && port >= FIRST_EPHEMERAL_PORT) return undefined
  return {
    ...{ port, proto: proto as 'tcp' | 'udp', address: plainText(address) },
    ...(program !== undefined && { program: plainText(program) }),
  }
}
