import type { Do } from './step.ts'

/** Deletes one of panel's own tables, if it exists. */
export const dropTable = async (run: Do, name: string): Promise<void> =>
  void (await run('/usr/sbin/nft', ['delete', 'table', 'inet', name]).catch(() => {}))

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
