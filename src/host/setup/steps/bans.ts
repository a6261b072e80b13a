import { bansLoader, bansTable, loaderText } from '../../debian/bans/table.ts'
import { dropTable } from '../nft.ts'
import type { SetupStep } from '../step.ts'

/** What is banned stays so before the network is up, and when Debian's own rules are loaded again. */
const unit = `# Written by \`panel host setup\`.
[Unit]
Description=Banned addresses
DefaultDependencies=no
Wants=network-pre.target
Before=network-pre.target shutdown.target
After=local-fs.target nftables.service
PartOf=nftables.service
ReloadPropagatedFrom=nftables.service
Conflicts=shutdown.target
RequiresMountsFor=/var/lib/panel-host

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${bansLoader}
ExecReload=${bansLoader}
ExecStop=/usr/sbin/nft delete table inet ${bansTable}

[Install]
WantedBy=multi-user.target
`

/** Addresses that failed to sign in too often are dropped; the agent says which. */
export const bans: SetupStep = {
  name: 'bans',
  packages: () => ['nftables'],
  files: () => [
    { path: bansLoader, content: loaderText, mode: 0o700 },
    { path: '/etc/systemd/system/panel-bans.service', content: unit, mode: 0o644 },
  ],
  undo: (run) => dropTable(run, bansTable),
  units: () => [{ name: 'panel-bans.service', run: true, renew: 'reload' }],
}
