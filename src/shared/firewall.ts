import { type Network, networkIn, overlaps } from './networks.ts'

/** What rules of the firewall can name, and the ports where these listen unless the machine says otherwise. */
export const firewallServices = {
  ssh: [22],
  http: [80],
  https: [443],
  dns: [53],
  smtp: [25],
  submission: [465, 587],
  imap: [143, 993],
  pop3: [110, 995],
  ftp: [21],
  sftp: [2222],
  mysql: [3306],
  panel: [7711],
  nodes: [7712],
} as const satisfies Record<string, readonly number[]>
export type FirewallService = keyof typeof firewallServices
export const firewallServiceNames = Object.keys(firewallServices) as [FirewallService, ...FirewallService[]]

export const MAX_FIREWALL_RULES = 200
/** How long a change applies unless it is confirmed. */
export const TRIAL_MS = 60_000

export type Protocol = 'tcp' | 'udp'

/** Ports that a service of the machine needs. */
export interface ServicePorts {
  readonly service: FirewallService
  readonly port: number
  /** The last one of a range. */
  readonly last?: number | undefined
  readonly proto: Protocol
}

export interface FirewallRule {
  readonly action: 'allow' | 'deny'
  readonly port?: number | undefined
  readonly service?: FirewallService | undefined
  readonly proto: Protocol
  /** A network; all addresses if absent. */
  readonly from?: string | undefined
}

/** The only spelling of a network that a rule may have; undefined for anything else. */
export function ruleNetwork(text: string): string | undefined {
  const network = networkIn(text)
  if (!network || network.bits === 0) return undefined
  const plain = plainText(network)
  return network.bits === network.bytes.length * 8 ? plain : `${plain}/${network.bits}`
}

/** Whether bits beyond the length of a network are set, which no packet could match. */
export function hasHostBits({ bytes, bits }: Network): boolean {
  return bytes.some((byte, at) => (byte & (0xff >> Math.min(8, Math.max(0, bits - at * 8)))) !== 0)
}

const plainText = ({ bytes }: Network): string => {
  if (bytes.length === 4) return bytes.join('.')
  const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** The ports that a rule is about, of a machine with these services. */
export function portsOf(
  rule: FirewallRule,
  services: readonly ServicePorts[],
): readonly { port: number; last: number }[] {
  if (rule.port !== undefined) return [{ port: rule.port, last: rule.port }]
  const own = services.filter(({ service, proto }) => service === rule.service && proto === rule.proto)
  if (own.length > 0) return own.map(({ port, last = port }) => ({ port, last }))
  return firewallServices[rule.service!].map((port) => ({ port, last: port }))
}

const bitsOf = ({ from }: FirewallRule): number => (from === undefined ? 0 : networkIn(from)!.bits)

/** The order in which rules apply: that of the smaller network first, and of equal ones the one that denies. */
export const inOrder = <Rule extends FirewallRule>(rules: readonly Rule[]): Rule[] =>
  rules.toSorted((one, other) => bitsOf(other) - bitsOf(one) || other.action.localeCompare(one.action))

/** Whether anybody reaches a TCP port. */
export function isReachable(port: number, rules: readonly FirewallRule[], services: readonly ServicePorts[]): boolean {
  const isOpen = services.some((one) => one.proto === 'tcp' && one.port <= port && port <= (one.last ?? one.port))
  const about = rules.filter(
    (rule) => rule.proto === 'tcp' && portsOf(rule, services).some((one) => one.port <= port && port <= one.last),
  )
  const denied = about.filter(({ action }) => action === 'deny')
  const allowed = about.filter(({ action }) => action === 'allow')
  if (isOpen && !denied.some(({ from }) => from === undefined)) return true
  return allowed.some((rule) => !denied.some((other) => isSame(rule.from, other.from)))
}

const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : networkIn(one)!.bits === networkIn(other)!.bits && overlaps(networkIn(one)!, networkIn(other)!)
