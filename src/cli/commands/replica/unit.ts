import { contained, inHome, quoted, shielded } from '../service/unit.ts'
import type { FileOwner } from './owner.ts'

export interface Replicator {
  readonly command: readonly string[]
  /** The folders it writes to: the data directory, and a local replica. */
  readonly folders: readonly string[]
  readonly system: boolean
  /** Whom it runs as, where that is not who installs it. */
  readonly owner?: FileOwner
}

export const unitName = 'panel-replica'
/** Identifies units that we wrote. */
export const unitMark = '# Written by `panel replica init`.'

/** The text of the systemd unit that runs Litestream. */
export function replicatorUnit(replicator: Replicator): string {
  const { command, folders, system, owner } = replicator
  const target = system ? 'multi-user' : 'default'
  const fence = system ? hardened(folders) : contained
  return `${unitMark} Make changes with \`systemctl edit ${unitName}\`.
[Unit]
Description=Second copy of the store of panel (Litestream)
${system ? 'Wants=network-online.target\nAfter=network-online.target\n' : ''}
[Service]
Type=exec
ExecStart=${command.map(quoted).join(' ')}
${owner ? `User=${owner.uid}\nGroup=${owner.gid}\n` : ''}Restart=always
RestartSec=1
UMask=0077

${fence.join('\n')}

[Install]
WantedBy=${target}.target
`
}

const hardened = (folders: readonly string[]): string[] => [
  ...contained,
  'CapabilityBoundingSet=',
  'ProtectSystem=strict',
  ...folders.map((folder) => `ReadWritePaths=${quoted(folder)}`),
  `ProtectHome=${folders.some((folder) => inHome.test(`${folder}/`)) ? 'no' : 'read-only'}`,
  ...shielded,
]
