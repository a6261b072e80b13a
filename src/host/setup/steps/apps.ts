import { portsFile, portsTable } from '../../debian/apps/ports.ts'
import { dropTable } from '../nft.ts'
import type { SetupStep } from '../step.ts'

/** Separate from the rest of /run, which tenants' programs could otherwise fill. */
const sockets = `# Written by \`panel host setup\`.
[Unit]
Description=Sockets of apps
Before=panel-host.service

[Mount]
What=tmpfs
Where=/run/panel-apps
Type=tmpfs
Options=mode=0711,size=16m,nr_inodes=0,nosuid,nodev,noexec

[Install]
WantedBy=multi-user.target
`

/** The table is the panel's own; reloading a whole firewall would drop it. */
const ports = `# Written by \`panel host setup\`.
[Unit]
Description=Ports of apps, which only nginx and their own account reach
After=nftables.service
PartOf=nftables.service
ReloadPropagatedFrom=nftables.service
Before=panel-host.service
ConditionPathExists=${portsFile}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f ${portsFile}
ExecReload=/usr/sbin/nft -f ${portsFile}

[Install]
WantedBy=multi-user.target
`

const units = '/etc/systemd/system'

/** Builds and runs apps: git, Python, and the isolation of their sockets and ports. */
export const apps: SetupStep = {
  name: 'apps',
  packages: () => ['git', 'openssh-client', 'python3-venv', 'nftables'],
  files: () => [
    { path: `${units}/run-panel\\x2dapps.mount`, content: sockets, mode: 0o644 },
    { path: `${units}/panel-ports.service`, content: ports, mode: 0o644 },
    { path: portsFile, content: '# Written by panel: the ports of apps.\n', mode: 0o600, seed: true },
  ],
  undo: (run) => dropTable(run, portsTable),
  units: () => [
    { name: 'run-panel\\x2dapps.mount', run: true, renew: 'reload' },
    { name: 'panel-ports.service', run: true, renew: 'reload' },
  ],
}
