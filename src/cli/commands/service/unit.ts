/** The parameters of the server's unit. */
export interface Service {
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly dataDir: string
  /** Whether it is a system unit or a user's. */
  readonly system: boolean
  /** Ports below 1024 need a capability. */
  readonly lowPort: boolean
}

/** Identifies units that we wrote. */
export const mark = '# Written by `panel service install`.'

const systemState = '/var/lib/panel'

/** The text of the systemd unit. */
export function unitOf(service: Service): string {
  const sections = [
    ['Unit', unit(service)],
    ['Service', [...running(service), '', ...(service.system ? hardened(service) : contained)]],
    ['Install', [`WantedBy=${service.system ? 'multi-user' : 'default'}.target`]],
  ] as const
  return `${mark} Make changes with \`systemctl edit panel\`.\n${sections.map(([name, lines]) => `[${name}]\n${lines.join('\n')}\n`).join('\n')}`
}

const unit = ({ system }: Service): string[] => [
  'Description=panel, the web-hosting control panel',
  'Documentation=man:panel(1) man:panel-serve(8)',
  ...(system ? ['Wants=network-online.target', 'After=network-online.target'] : []),
]

const running = ({ command, dataDir, system }: Service): string[] => [
  'Type=exec',
  `ExecStart=${command.map(quoted).join(' ')}`,
  'ExecReload=kill -HUP $MAINPID',
  'Restart=on-failure',
  'RestartSec=1',
  'TimeoutStopSec=30',
  'LimitNOFILE=65536',
  'UMask=0077',
  ...(system && dataDir === systemState ? ['StateDirectory=panel', 'StateDirectoryMode=0700'] : []),
]

/** Escapes what systemd would interpret. */
export function quoted(word: string): string {
  const text = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/** V8 writes executable code, and interfaces are listed by netlink. */
export const contained = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
]

/** Hides the kernel, devices and other processes. */
export const shielded = [
  'ProtectProc=invisible',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectControlGroups=yes',
  'PrivateDevices=yes',
  'PrivateTmp=yes',
  'RestrictNamespaces=yes',
]

export const inHome = /^\/(home|root|run\/user)\//

const hardened = ({ command, dataDir, lowPort }: Service): string[] => [
  ...contained,
  `CapabilityBoundingSet=${lowPort ? 'CAP_NET_BIND_SERVICE' : ''}`,
  'ProtectSystem=strict',
  ...(dataDir === systemState ? [] : [`ReadWritePaths=${quoted(dataDir)}`]),
  `ProtectHome=${[...command, dataDir].some((word) => inHome.test(word)) ? 'read-only' : 'yes'}`,
  ...shielded,
  'RemoveIPC=yes',
]
