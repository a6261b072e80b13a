import type { Command, OwnOption } from '../../table.ts'
import { feedCommands } from './feed.ts'
import { serverCommands } from './servers.ts'

const job = { name: 'job', description: 'The job', offers: '/jobs', required: true } as const
const pair = { repeat: true } as const

const serveOptions: readonly OwnOption[] = [
  { flags: '--host <address>', description: 'Address to listen on (default: 0.0.0.0)' },
  { flags: '--hostname <name>', description: "The server's name (default: the machine's full name)" },
  { flags: '--port <number>', description: 'Port to listen on (default: 7711)' },
  { flags: '--tls-cert <file>', description: 'Certificate chain, PEM (default: a self-signed one is made)' },
  { flags: '--tls-key <file>', description: 'Private key of the certificate, PEM' },
  { flags: '--whm-port <number>', description: "Port for billing systems that speak WHM's API, such as 2087" },
  { flags: '--whm-wait <seconds>', description: 'How long an answer there waits for its job (default: 8)' },
  { flags: '--no-tls', description: 'Plain HTTP; only with a loopback --host' },
  { flags: '--trust-proxy <ranges>', description: 'Addresses whose X-Forwarded-For counts', repeat: true },
  {
    flags: '--log-level <level>',
    description: 'Least level that is logged (default: info)',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
  },
]

/** What is said of the group of commands about the server's own key. */
export const secretSummary = "The server's own key, which seals secrets in the store"

/** What is said of the group of commands about the service. */
export const serviceSummary = 'The server as a service of systemd'

/** The commands that are no operation. `own` names the file below `commands/`. */
export const ownCommands: readonly Command[] = [
  {
    words: ['serve'],
    own: 'serve',
    summary: 'Run the server',
    description:
      'Runs in the foreground until SIGTERM or Ctrl-C; SIGHUP reloads the certificates. Whoever can open its socket, <data-dir>/panel.sock, is root.',
    args: [],
    ownOptions: serveOptions,
    examples: ['panel serve', 'panel serve --host 127.0.0.1 --no-tls'],
  },
  {
    words: ['backup'],
    own: 'backup',
    summary: "Copy the server's own data into one file",
    description:
      'The store as it is at one moment; the server goes on meanwhile. Runs on the machine of the server. The file takes its name only when it is whole and checked. secret.key and the TLS key stay out unless you ask for them: keep a copy of them elsewhere.',
    args: [],
    ownArguments: [
      { name: 'file', description: 'The file to write; an older backup there is replaced', required: true },
    ],
    ownOptions: [
      { flags: '--with-keys', description: 'Put secret.key and the TLS key in: the file then holds every secret' },
    ],
    examples: ['panel backup /var/backups/panel.backup', 'panel backup panel.backup --with-keys'],
  },
  {
    words: ['restore'],
    own: 'restore',
    summary: 'Put a backup in place of the store',
    description:
      'The server must be stopped. The backup is checked before anything is replaced, and what is replaced is kept beside it. Numbers of events and deliveries go on a million higher, so that none comes twice; readers of the feed are told of a gap. Sessions end. Tokens that were revoked after the backup are valid again. A backup without keys uses the keys in the data directory. Given a directory, the copy of a store in it becomes a store of its own; until then no server starts on a copy.',
    args: [],
    ownArguments: [
      { name: 'file', description: 'A file made by `panel backup`, or a data directory with a copy', required: true },
    ],
    ownOptions: [{ flags: '-y, --yes', description: 'Replace the store that is there without asking' }],
    examples: [
      'panel restore /var/backups/panel.backup',
      'panel restore panel.backup --data-dir /srv/panel --yes',
      'panel restore /srv/copy --data-dir /srv/copy',
    ],
  },
  {
    words: ['secret', 'rotate'],
    own: 'secret-rotate',
    summary: 'Seal everything in the store under a new secret.key',
    description:
      'The server must be stopped. Webhook secrets and second factors stay as they are, and are sealed again in one change. If the command is interrupted, run it again: until it is done, the server accepts the old key and the new one. Older backups still need the old key.',
    args: [],
    examples: ['panel secret rotate', 'panel secret rotate --data-dir /srv/panel'],
  },
  {
    words: ['service', 'install'],
    own: 'service-install',
    summary: 'Write the systemd unit that runs the server',
    description:
      'For the machine as root, else for yourself. The unit gives the server no more than it needs; what it is given besides are the options of `panel serve`. Says what to type next.',
    args: [],
    ownOptions: [
      ...serveOptions,
      { flags: '--dry-run', description: 'Print the unit, write nothing' },
      { flags: '-y, --yes', description: 'Replace a unit that panel did not write' },
    ],
    examples: ['panel service install --dry-run', 'panel service install --hostname panel.example'],
  },
  {
    words: ['service', 'uninstall'],
    own: 'service-uninstall',
    summary: 'Take the systemd unit away; the data stays',
    args: [],
    examples: ['panel service uninstall'],
  },
  {
    words: ['service', 'status'],
    own: 'service',
    summary: 'Show whether the service runs, as systemctl does',
    args: [],
    examples: ['panel service status'],
  },
  {
    words: ['service', 'logs'],
    own: 'service',
    summary: "Show the service's log, as journalctl does",
    args: [],
    ownOptions: [
      { flags: '-f, --follow', description: 'Go on until Ctrl-C' },
      { flags: '--lines <number>', description: 'How many of the last lines (default: 100)' },
    ],
    examples: ['panel service logs --follow'],
  },
  {
    words: ['service', 'restart'],
    own: 'service',
    summary: 'Restart the service, as systemctl does',
    args: [],
    examples: ['panel service restart'],
  },
  {
    words: ['open'],
    own: 'open',
    summary: 'Open the panel in a browser',
    description:
      'With --account signed in to it, by a link that works once; without, at the sign-in page. Off a terminal, or without a browser, the address is printed.',
    args: [],
    ownArguments: [{ name: 'page', description: 'A page below /user/ or /admin/, or a path such as /docs' }],
    ownOptions: [{ flags: '-a, --account <name>', description: 'The account to sign in to', offers: '/accounts' }],
    examples: ['panel open --account alice', 'panel open /docs'],
  },
  {
    words: ['accounts', 'open'],
    own: 'open',
    summary: 'Open the panel of an account in a browser, signed in by a link that works once',
    args: [],
    ownArguments: [
      { name: 'account', description: 'The account', offers: '/accounts', required: true },
      { name: 'page', description: 'A page below /user/' },
    ],
    examples: ['panel accounts open alice'],
  },
  {
    words: ['doctor'],
    own: 'doctor',
    summary: 'Say what is wrong here, and what to do about it',
    description:
      'Looks at the data directory, keys, disk and socket of this host, or at the server of a context: certificate, clock, version, health, jobs, webhooks, license. Works without a server too. Exits 1 when something is bad.',
    args: [],
    examples: ['panel doctor', 'panel doctor --context prod --output json'],
  },
  ...serverCommands,
  ...feedCommands,
  {
    words: ['version'],
    own: 'version',
    summary: 'Print the version',
    args: [],
    examples: ['panel version'],
  },
  {
    words: ['whoami'],
    own: 'whoami',
    summary: 'Show which server is used, as whom, and why',
    args: [],
    examples: ['panel whoami', 'panel whoami --output json'],
  },
  {
    words: ['api'],
    own: 'api',
    summary: 'Send any request by operation id or path',
    description: 'The answer is printed as JSON. Secrets go into --data @file or --data -, never into --field.',
    args: [],
    ownArguments: [{ name: 'operation', description: 'Operation id (see --list) or path below /api/v1' }],
    ownOptions: [
      { flags: '-X, --method <method>', description: 'Method for a path (default: GET, or POST with a body)' },
      { flags: '--path <key=value>', description: 'Path parameter', ...pair },
      { flags: '--query <key=value>', description: 'Query parameter', ...pair },
      { flags: '--field <key=value>', description: 'Field of the body', ...pair },
      { flags: '--data <json>', description: 'The body: JSON, @file, or - for standard input' },
      { flags: '--all', description: 'Every page of a list, as one array' },
      { flags: '--include', description: 'Status and headers of the answer, on standard error' },
      { flags: '--curl', description: 'Print the curl command instead of sending' },
      { flags: '--list', description: 'List the operations' },
      { flags: '-y, --yes', description: 'Do not ask before a change that cannot be undone' },
      { flags: '--dry-run', description: 'Print the request as JSON, change nothing' },
      { flags: '--select <expression>', description: 'Part of the answer, as a JMESPath expression' },
    ],
    examples: ['panel api listAccounts --query q=ali', 'panel api getAccount --path id=alice', 'panel api --list'],
  },
  {
    words: ['jobs', 'wait'],
    own: 'jobs-wait',
    summary: 'Wait for a job to end',
    description: 'Exits 0 when it succeeded, 9 when it failed, 8 when --wait-timeout came first.',
    args: [],
    ownArguments: [job],
    ownOptions: [
      { flags: '--wait-timeout <duration>', description: 'Stop waiting after this long, as 30s, 10m or 1h' },
    ],
    examples: ['panel jobs wait 01K9ZQ5T3M8V4X7C2B6N1D0FGH --wait-timeout 10m'],
  },
  {
    words: ['jobs', 'logs'],
    own: 'jobs-logs',
    summary: "Print a job's log",
    args: [],
    ownArguments: [job],
    ownOptions: [{ flags: '-f, --follow', description: 'Go on until the job has ended' }],
    examples: ['panel jobs logs 01K9ZQ5T3M8V4X7C2B6N1D0FGH --follow'],
  },
  {
    words: ['completion'],
    own: 'completion',
    summary: 'Print the completion script of a shell',
    description: '`panel completion install` puts it where your shell looks for it.',
    args: [],
    ownArguments: [
      { name: 'shell', description: 'The shell', choices: ['bash', 'zsh', 'fish', 'powershell'], required: true },
    ],
    examples: ['panel completion bash'],
  },
  {
    words: ['completion', 'install'],
    own: 'completion-install',
    summary: 'Put the completion script where your shell looks for it',
    description: 'Below your home directory, for the shell you use unless another is named; says what was written.',
    args: [],
    ownArguments: [
      { name: 'shell', description: 'The shell (default: that of $SHELL)', choices: ['bash', 'zsh', 'fish'] },
    ],
    examples: ['panel completion install', 'panel completion install zsh'],
  },
]
