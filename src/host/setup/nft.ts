import type { Do } from './step.ts'

/** Deletes one of panel's own tables, if it exists. */
export const dropTable = async (run: Do, name: string): Promise<void> =>
  void (await run('/usr/sbin/nft', ['delete', 'table', 'inet', name]).catch(() => {}))

/** A unit that runs a loader of rules before the network is up, and whenever Debian's own unit loads its rules. */
export const earlyTableUnit = (
  description: string,
  loader: string,
  table: string,
): string => `# Written by \`panel host setup\`.
[Unit]
Description=${description}
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
ExecStart=${loader}
ExecReload=${loader}
ExecStop=/usr/sbin/nft delete table inet ${table}

[Install]
WantedBy=multi-user.target
`

/** A unit that loads rules of nftables whenever Debian's own unit loads its rules. */
export const tableUnit = (
  description: string,
  rules: string,
  table: string,
): string => `# Written by \`panel host setup\`.
[Unit]
Description=${description}
After=nftables.service
PartOf=nftables.service
ReloadPropagatedFrom=nftables.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f ${rules}
ExecReload=/usr/sbin/nft -f ${rules}
ExecStop=/usr/sbin/nft delete table inet ${table}

[Install]
WantedBy=multi-user.target
`
