/** What the unit of the server is made from. */
export interface Service {
  /** The program and its words, as they are run. */
  readonly command: readonly string[]
  readonly dataDir: string
  /** Whether it is the machine's, or a user's own. */
  readonly system: boolean
  /** Ports below 1024 are taken by a capability of their own. */
  readonly lowPort: boolean
}

/** By this line it is known again. */
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

/** What systemd would read as its own. */
export function quoted(word: string): string {
  const text = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`
}

/** V8 writes the code it runs, and interfaces are listed by netlink. */
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

/** The kernel, devices and other processes are out of sight. */
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
