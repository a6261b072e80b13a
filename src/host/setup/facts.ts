import { existsSync, readFileSync } from 'node:fs'
import { hostname, totalmem } from 'node:os'
import { label, MAX_HOSTNAME_LENGTH } from '../../shared/patterns.ts'
import { suiteOf } from '../debian/suite.ts'
import type { SetupContext } from './context.ts'
import { SetupError } from './error.ts'
import type { Choice, Facts, SetupStep } from './step.ts'
import { nodePort, nodeUnit, optionsFile, serverPort } from './steps/panel.ts'
import { isEnabled } from './units.ts'

/** The server's name: as given, else from an earlier setup, else the machine's own. */
export async function serverName(context: SetupContext, input: string | undefined): Promise<string> {
  const name = (input ?? before(context) ?? (await own(context))).toLowerCase()
  if (name.length <= MAX_HOSTNAME_LENGTH && new RegExp(`^(?:${label}\\.)*${label}$`).test(name)) return name
  throw new SetupError(`${name} is not a host name.`, 'panel host setup --hostname server.example.com')
}

const before = (context: SetupContext): string | undefined =>
  /^PANEL_HOSTNAME=(\S+)$/m.exec(serverOptions(context))?.[1]

/** The server's options. */
const serverOptions = ({ root }: SetupContext): string =>
  existsSync(root + optionsFile) ? readFileSync(root + optionsFile, 'utf8') : ''

const own = async ({ run }: SetupContext): Promise<string> =>
  (await run('/usr/bin/hostname', ['--fqdn']).catch(() => '')).trim() || hostname()

const DEFAULT_SSH_PORT = 22

/** It takes 100 MB, and more while compiling its rules; this is 2 GB minus the kernel's share. */
const memoryForSpam = 1_900_000_000

export interface Wishes {
  readonly without?: readonly Choice[] | undefined
  readonly hostname?: string | undefined
  readonly php?: readonly string[] | undefined
  readonly firewall?: boolean | undefined
  readonly waf?: boolean | undefined
}

/** A machine's properties, and the choices made for it, now or by an earlier run. */
export async function factsOf(context: SetupContext, wishes: Wishes = {}, memory = totalmem()): Promise<Facts> {
  const without = new Set(wishes.without ?? context.record.without)
  const spam = !without.has('mail') && !without.has('spam') && memory >= memoryForSpam
  const hostname = await serverName(context, wishes.hostname)
  const options = serverOptions(context)
  const ports = { port: serverPort(options), nodePort: nodePort(options) }
  const php = [...new Set([...context.record.php, ...(wishes.php ?? [])])]
  const firewall = (wishes.firewall ?? context.record.firewall) ? { ssh: await sshPorts(context) } : undefined
  return {
    ...{ suite: suiteOf(), without, php, spam, hostname, ...ports, isNode: await isEnabled(context, nodeUnit) },
    ...(firewall && { firewall }),
    ...((wishes.waf ?? context.record.waf) && { waf: true }),
  }
}

/** Where sshd listens, or would. */
async function sshPorts({ run }: SetupContext): Promise<readonly number[]> {
  const configured = await run('/usr/sbin/sshd', ['-T']).catch(() => '')
  const listening = await run('/usr/bin/ss', ['-H', '-l', '-n', '-t', '-p']).catch(() => '')
  const found = [
    ...[...configured.matchAll(/^port (\d+)$/gm)].map(([, port]) => Number(port)),
    ...[...listening.matchAll(/:(\d+)\s+\S+\s+users:\(\("sshd"/g)].map(([, port]) => Number(port)),
  ]
  return found.length > 0 ? [...new Set(found)].sort((one, other) => one - other) : [DEFAULT_SSH_PORT]
}

/** Whether this machine has what a step sets up. */
export const has = ({ choice, when }: SetupStep, facts: Facts): boolean =>
  (choice === undefined || !facts.without.has(choice)) && (when?.(facts) ?? true)
