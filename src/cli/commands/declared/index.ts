import type { Command, OwnOption } from '../../table.ts'
import { databaseCommands } from './databases.ts'
import { feedCommands } from './feed.ts'
import { fileCommands } from './files.ts'
import { hostCommands } from './host.ts'
import { importCommands } from './imports.ts'
import { replicaCommands } from './replica.ts'
import { serverCommands } from './servers.ts'

const job = { name: 'job', description: 'The job', offers: '/jobs', required: true } as const
const pair = { repeat: true } as const

const serveOptions: readonly OwnOption[] = [
  { flags: '--host <address>', description: 'Address to listen on (default: 0.0.0.0)' },
  { flags: '--hostname <name>', description: "The server's name (default: the machine's full name)" },
  { flags: '--port <number>', description: 'Port to listen on (default: 7711)' },
  { flags: '--node-port <number>', description: 'Port that nodes connect to, once there is one (default: 7712)' },
  { flags: '--tls-cert <file>', description: 'Certificate chain, PEM (default: a self-signed one is generated)' },
  { flags: '--tls-key <file>', description: 'Private key of the certificate, PEM' },
  { flags: '--whm-port <number>', description: "Port for billing systems that speak WHM's API, such as 2087" },
  { flags: '--whm-wait <seconds>', description: 'Seconds a request on that port waits for its job (default: 8)' },
  {
    flags: '--front-socket <path>',
    description: 'Also listen on a Unix socket for nginx, whose X-Forwarded-For names the caller',
  },
  { flags: '--no-tls', description: 'Plain HTTP; only with a loopback --host' },
  { flags: '--trust-proxy <ranges>', description: 'Addresses whose X-Forwarded-For is trusted', repeat: true },
  {
    flags: '--trust-tenants',
    description: "Run commands and apps of accounts as the server's own user: they can then do all that it can",
  },
  {
    flags: '--log-level <level>',
    description: 'Lowest level to log (default: info)',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
  },
]

/** The summary of the command group for the server's key. */
export const secretSummary = 'The key that encrypts secrets in the store'

/** The summary of the command group for the service. */
export const serviceSummary = 'The server as a systemd service'

/** The local commands. `own` names the file below `commands/`. */
export const ownCommands: readonly Command[] = [
  {
    words: ['serve'],
    own: 'serve',
    summary: 'Run the server',
    description:
      'Runs in the foreground until SIGTERM or Ctrl-C; SIGHUP reloads the certificates. Any process that can open its socket, <data-dir>/panel.sock, acts as root.',
    args: [],
    ownOptions: serveOptions,
    examples: ['panel serve', 'panel serve --host 127.0.0.1 --no-tls'],
  },
  {
    words: ['backup'],
    own: 'backup',
    summary: "Copy the server's own data into one file",
    description:
      'Takes a snapshot of the store; the server keeps running. Run it on the machine of the server. To back up an account, use `panel backups create`. The file appears under its name only when it is complete and verified. secret.key and the TLS key are left out unless you ask for them: keep a copy of them elsewhere.',
    args: [],
    ownArguments: [
      { name: 'file', description: 'The file to write; an older backup there is replaced', required: true },
    ],
    ownOptions: [
      { flags: '--with-keys', description: 'Include secret.key and the TLS key; the file then contains every secret' },
    ],
    examples: ['panel backup /var/backups/panel.backup', 'panel backup panel.backup --with-keys'],
  },
  {
    words: ['restore'],
    own: 'restore',
    summary: 'Replace the store with a backup',
    description:
      'To restore an account, use `panel backups restore`. The server must be stopped. The backup is checked before anything is replaced, and the old store is kept beside it. Event and delivery numbers continue a million higher, so that none is used twice; readers of the feed see a gap. All sessions end. Tokens revoked after the backup are valid again. A backup without keys uses the keys in the data directory. Given a directory, the copied store in it becomes a store of its own; until then, no server starts on a copy.',
    args: [],
    ownArguments: [
      { name: 'file', description: 'A file made by `panel backup`, or a data directory with a copy', required: true },
    ],
    ownOptions: [{ flags: '-y, --yes', description: 'Replace an existing store without asking' }],
    examples: [
      'panel restore /var/backups/panel.backup',
      'panel restore panel.backup --data-dir /srv/panel --yes',
      'panel restore /srv/copy --data-dir /srv/copy',
    ],
  },
  {
    words: ['takeover'],
    own: 'takeover',
    summary: 'Take over from a server whose machine is lost',
    description:
      'Run it on another machine, with a store restored from a replica, a backup, or a copied data directory, and the old secret.key beside it or in the data directory. Refused while the old server answers. Event and delivery numbers, user ids and zone serials jump as after `panel restore`, and the epoch rises above any earlier one: nodes find this server by the next address of their list, and refuse the old one. Then all accounts are compared with their hosts. Accounts that are on hosts but not in the store are listed and left alone.',
    args: [],
    ownArguments: [
      { name: 'file', description: 'A restored store, a backup, or a data directory with a copy', required: true },
    ],
    ownOptions: [
      { flags: '-y, --yes', description: 'Replace an existing store without asking' },
      { flags: '--move', description: 'Make the restored store itself the one of this machine, instead of a copy' },
      { flags: '--no-start', description: 'Do not start the service of this machine' },
    ],
    examples: ['panel takeover /srv/replica/panel.db --move', 'panel takeover panel.backup --no-start'],
  },
  ...replicaCommands,
  {
    words: ['secret', 'rotate'],
    own: 'secret-rotate',
    summary: 'Encrypt everything in the store with a new secret.key',
    description:
      'The server must be stopped. Webhook secrets and second factors stay the same and are encrypted again in one transaction. If the command is interrupted, run it again: until it finishes, the server accepts both keys. Older backups still need the old key.',
    args: [],
    examples: ['panel secret rotate', 'panel secret rotate --data-dir /srv/panel'],
  },
  {
    words: ['service', 'install'],
    own: 'service-install',
    summary: 'Write the systemd unit that runs the server',
    description:
      'As root for the whole machine, otherwise for your own user. The unit gives the server only the rights it needs; the other options are those of `panel serve`. Prints what to type next.',
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
    summary: 'Remove the systemd unit; the data stays',
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
      { flags: '-f, --follow', description: 'Print new lines until Ctrl-C' },
      { flags: '--lines <number>', description: 'Number of recent lines (default: 100)' },
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
      'With --account, signed in to that account by a link that works once. Without it, a user who can open the local socket is signed in as root, and others get the sign-in page. Without a terminal or a browser, the address is printed.',
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
    summary: 'Diagnose problems and suggest what to do about them',
    description:
      'Checks the data directory, keys, disk and socket of this host, or the server of a context: certificate, clock, version, health, jobs, webhooks, license. Also works when no server is running. Exits 1 if something is bad.',
    args: [],
    examples: ['panel doctor', 'panel doctor --context prod --output json'],
  },
  ...serverCommands,
  ...feedCommands,
  ...fileCommands,
  ...databaseCommands,
  ...importCommands,
  ...hostCommands,
  {
    words: ['upgrade'],
    own: 'upgrade',
    summary: 'Look for a newer version of panel',
    description:
      "Asks the address in the server's setting `update_source`, and installs nothing. Exits 0 if this version is the newest, 1 if a newer one is there, 7 if the address cannot be reached.",
    args: [],
    ownOptions: [{ flags: '--check', description: 'Compare this version with the newest' }],
    examples: ['panel upgrade --check', 'panel upgrade --check --output json'],
  },
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
    description: 'Prints the answer as JSON. Pass secrets with --data @file or --data -, never with --field.',
    args: [],
    ownArguments: [{ name: 'operation', description: 'Operation id (see --list) or path below /api/v1' }],
    ownOptions: [
      { flags: '-X, --method <method>', description: 'Method for a path (default: GET, or POST with a body)' },
      { flags: '--path <key=value>', description: 'Path parameter', ...pair },
      { flags: '--query <key=value>', description: 'Query parameter', ...pair },
      { flags: '--field <key=value>', description: 'Field of the body', ...pair },
      { flags: '--data <json>', description: 'The body: JSON, @file, or - for standard input' },
      { flags: '--all', description: 'Every page of a list, as one array' },
      { flags: '--include', description: 'Print status and headers of the answer on standard error' },
      { flags: '--curl', description: 'Print the curl command instead of sending' },
      { flags: '--list', description: 'List the operations' },
      { flags: '-y, --yes', description: 'Do not ask before a change that cannot be undone' },
      { flags: '--dry-run', description: 'Print the request as JSON, change nothing' },
      { flags: '--select <expression>', description: 'Part of the answer, as a JMESPath expression' },
    ],
    examples: ['panel api listAccounts --query q=ali', 'panel api getAccount --path id=alice', 'panel api --list'],
  },
  {
    words: ['mcp'],
    own: 'mcp',
    summary: 'Let an AI agent use the panel, by MCP over standard input and output',
    description:
      'Read-only unless changes are allowed; each change is first a dry run that must be confirmed. Deletions ask a person by a form of the client. Tokens, sessions, passwords of accounts, sign-in links and downloads are never reachable. See docs/mcp.md.',
    args: [],
    ownOptions: [
      { flags: '-a, --account <name>', description: 'The only account to reach', offers: '/accounts' },
      { flags: '--allow-changes', description: 'Allow changes that the agent confirms' },
      { flags: '--allow-destructive', description: 'Allow deletions, too, if the client cannot ask a person' },
    ],
    examples: ['panel mcp', 'panel mcp --account alice --allow-changes'],
  },
  {
    words: ['jobs', 'wait'],
    own: 'jobs-wait',
    summary: 'Wait for a job to end',
    description: 'Exits 0 if it succeeded, 9 if it failed, 8 if --wait-timeout passed first.',
    args: [],
    ownArguments: [job],
    ownOptions: [
      { flags: '--wait-timeout <duration>', description: 'Stop waiting after this long, such as 30s, 10m or 1h' },
    ],
    examples: ['panel jobs wait 01K9ZQ5T3M8V4X7C2B6N1D0FGH --wait-timeout 10m'],
  },
  {
    words: ['jobs', 'logs'],
    own: 'jobs-logs',
    summary: "Print a job's log",
    args: [],
    ownArguments: [job],
    ownOptions: [{ flags: '-f, --follow', description: 'Print new lines until the job has ended' }],
    examples: ['panel jobs logs 01K9ZQ5T3M8V4X7C2B6N1D0FGH --follow'],
  },
  {
    words: ['completion'],
    own: 'completion',
    summary: 'Print the completion script of a shell',
    description: '`panel completion install` installs it where your shell looks for it.',
    args: [],
    ownArguments: [
      { name: 'shell', description: 'The shell', choices: ['bash', 'zsh', 'fish', 'powershell'], required: true },
    ],
    examples: ['panel completion bash'],
  },
  {
    words: ['completion', 'install'],
    own: 'completion-install',
    summary: 'Install the completion script where your shell looks for it',
    description:
      'Installs it below your home directory, for your own shell unless you name another, and prints what it wrote.',
    args: [],
    ownArguments: [
      { name: 'shell', description: 'The shell (default: that of $SHELL)', choices: ['bash', 'zsh', 'fish'] },
    ],
    examples: ['panel completion install', 'panel completion install zsh'],
  },
]
