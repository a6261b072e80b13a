import { lowestPort } from '../../parts/apps.ts'
import type { Facts, SetupStep } from '../step.ts'
import { passivePorts } from './ftp.ts'

const file = '/etc/sysctl.d/60-panel-ports.conf'
const name = 'net.ipv4.ip_unprivileged_port_start'
const KERNEL_DEFAULT = 1024
/** That of passive FTP; MariaDB's and SFTP's are lower. */
const HIGHEST_SERVICE_PORT = passivePorts.last

/** Ports of apps stay open to programs of accounts. */
const firstFree = ({ port, nodePort }: Facts): number =>
  Math.max(HIGHEST_SERVICE_PORT, ...[port, nodePort].filter((one) => one < lowestPort)) + 1

const content = (
  facts: Facts,
): string => `# Written by \`panel host setup\`: no account's program listens on a service's port while that one restarts.
${name} = ${firstFree(facts)}
`

/** The ports of services are root's, and of units that have CAP_NET_BIND_SERVICE. */
export const ports: SetupStep = {
  name: 'ports',
  packages: () => ['procps'],
  files: (facts) => [{ path: file, content: content(facts), mode: 0o644 }],
  prepare: async (run, facts) => {
    const setting = String(firstFree(facts))
    if ((await run('/usr/sbin/sysctl', ['-n', name])).trim() === setting) return false
    await run('/usr/sbin/sysctl', ['-q', '-w', `${name}=${setting}`])
    return true
  },
  undo: async (run) => void (await run('/usr/sbin/sysctl', ['-q', '-w', `${name}=${KERNEL_DEFAULT}`]).catch(() => {})),
}
