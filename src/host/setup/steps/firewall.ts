import type { FirewallService, ServicePorts } from '../../../shared/firewall.ts'
import {
  firewallFile,
  firewallLoader,
  firewallRules,
  firewallServicesFile,
  firewallTable,
  firewallUnit,
} from '../../debian/firewall/places.ts'
import { pendingOf, portSet } from '../../firewall/firewall.ts'
import { dropTable, earlyTableUnit } from '../nft.ts'
import type { Choice, Facts, SetupStep } from '../step.ts'
import { passivePorts } from './ftp.ts'

/** Before the network is up; a boot undoes a change that waits. */
const unit = earlyTableUnit('Firewall of panel', firewallLoader, firewallTable)

const loader = `#!/bin/sh
# Written by \`panel host setup\`: undoes a change that was not confirmed, and loads the firewall.
rm -f ${pendingOf(firewallRules)}
umask 077
>> ${firewallRules}
exec /usr/sbin/nft -f ${firewallFile}
`

const tcp = (service: FirewallService, ...ports: readonly number[]): ServicePorts[] =>
  ports.map((port) => ({ service, port, proto: 'tcp' }))
const udp = (service: FirewallService, port: number): ServicePorts => ({ service, port, proto: 'udp' })

const { first, last } = passivePorts
const byChoice: Partial<Record<Choice, readonly ServicePorts[]>> = {
  mail: [...tcp('smtp', 25), ...tcp('submission', 465, 587), ...tcp('imap', 143, 993), ...tcp('pop3', 110, 995)],
  dns: [...tcp('dns', 53), udp('dns', 53)],
  ftp: [...tcp('ftp', 21), { service: 'ftp', port: first, last, proto: 'tcp' }, ...tcp('sftp', 2222)],
}

/** MariaDB is for other machines only where root says so, by a rule. */
export function servicePorts({ firewall, without, port, nodePort, isNode }: Facts): readonly ServicePorts[] {
  const chosen = Object.entries(byChoice).filter(([choice]) => !without.has(choice as Choice))
  const own = isNode ? [] : [...tcp('panel', port), ...tcp('nodes', nodePort)]
  const web = [...tcp('http', 80), ...tcp('https', 443), udp('https', 443)]
  return [...tcp('ssh', ...(firewall?.ssh ?? [])), ...own, ...web, ...chosen.flatMap(([, ports]) => ports ?? [])]
}

/**
 * A packet without SYN opens no connection: what was open before the table was loaded goes on. IPv6 needs its ICMP, and
 * DHCPv6 answers from a link's own address.
 */
const tableText = (
  services: readonly ServicePorts[],
): string => `# Written by \`panel host setup\`; rules: panel firewall show
table inet ${firewallTable}
delete table inet ${firewallTable}
table inet ${firewallTable} {
  chain input {
    type filter hook input priority filter; policy drop;
    iif "lo" accept
    ct state established,related accept
    tcp flags & (fin | syn | rst | ack) != syn accept
    meta l4proto { icmp, ipv6-icmp } accept
    ip6 saddr fe80::/10 udp dport 546 accept
    jump by_rule
    tcp dport ${portSet(services.filter(({ proto }) => proto === 'tcp'))} accept
    udp dport ${portSet(services.filter(({ proto }) => proto === 'udp'))} accept
  }
  chain by_rule {
    include "${firewallRules}"
  }
}
`

/** Drops what comes to ports that no service needs; only with \`--firewall\`. */
export const firewall: SetupStep = {
  name: 'firewall',
  when: (facts) => facts.firewall !== undefined,
  packages: () => ['nftables', 'iproute2'],
  files: (facts) => [
    { path: firewallServicesFile, content: `${JSON.stringify(servicePorts(facts))}\n`, mode: 0o644 },
    { path: firewallFile, content: tableText(servicePorts(facts)), mode: 0o600 },
    { path: firewallLoader, content: loader, mode: 0o700 },
    { path: `/etc/systemd/system/${firewallUnit}`, content: unit, mode: 0o644 },
  ],
  undo: (run) => dropTable(run, firewallTable),
  units: () => [{ name: firewallUnit, run: true, renew: 'reload' }],
}
