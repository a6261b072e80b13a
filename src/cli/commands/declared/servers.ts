import type { Command, OwnArgument, OwnOption } from '../../table.ts'

const context: OwnArgument = { name: 'context', description: 'The saved server', offers: 'contexts' }
const yes: OwnOption = { flags: '-y, --yes', description: 'Do not ask' }

/** The summary of the command group for saved servers. */
export const contextSummary = 'Saved servers, and which of them is the current one'

/** Commands about servers and signing in to them. */
export const serverCommands: readonly Command[] = [
  {
    words: ['login'],
    own: 'login',
    summary: 'Sign in to a server and save it as a context',
    description:
      'Asks for the password, and for a code if two-factor sign-in is on; scripts use a token. The sign-in is stored in a file that only you can read. If the certificate is not trusted, its fingerprint is shown, and the public key is pinned once you accept it: nothing is sent to a server that later presents another key. Without an address, renews the sign-in of --context or of the current context. Root has no password until `panel root set-password` sets one on the server itself.',
    args: [],
    ownArguments: [{ name: 'url', description: 'The server, such as https://host.example:7711' }],
    ownOptions: [
      { flags: '--username <name>', description: 'Username, domain or contact address (default: root)' },
      {
        flags: '--panel <panel>',
        description: '`admin` for root and resellers, `user` for accounts (default: found out)',
        choices: ['admin', 'user'],
      },
      { flags: '--password [never]', description: 'Ask for the password (the default)' },
      { flags: '--password-stdin', description: 'Read the password from standard input' },
      { flags: '--password-file <file>', description: 'Read the password from a file' },
      { flags: '--token [never]', description: 'Ask for an API token instead' },
      { flags: '--token-stdin', description: 'Read an API token from standard input' },
      { flags: '--token-file <file>', description: 'Read an API token from a file' },
      {
        flags: '--fingerprint <hash>',
        description: 'Trust this server only: sha256:… of its public key or certificate',
      },
    ],
    examples: [
      'panel login https://panel.example:7711',
      'panel login https://panel.example:7711 --context prod --token-stdin < token',
      'panel login https://panel.example:7711 --username alice',
    ],
  },
  {
    words: ['logout'],
    own: 'logout',
    summary: 'Sign out of a saved server',
    description:
      'Ends the session on the server and removes the context with its pinned key. To sign in again and keep it: panel login --context NAME.',
    args: [],
    ownArguments: [context],
    examples: ['panel logout', 'panel logout prod'],
  },
  {
    words: ['context', 'list'],
    own: 'context',
    summary: 'List saved servers',
    args: [],
    examples: ['panel context list', 'panel context list --output json'],
  },
  {
    words: ['context', 'show'],
    own: 'context',
    summary: 'Show a saved server, without its secrets',
    args: [],
    ownArguments: [context],
    examples: ['panel context show', 'panel context show prod'],
  },
  {
    words: ['context', 'use'],
    own: 'context',
    summary: 'Make a saved server the current one',
    description: '`local` is the server on this machine, by its socket.',
    args: [],
    ownArguments: [{ ...context, required: true }],
    examples: ['panel context use prod', 'panel context use local'],
  },
  {
    words: ['context', 'rename'],
    own: 'context',
    summary: 'Rename a saved server',
    args: [],
    ownArguments: [
      { ...context, required: true },
      { name: 'name', description: 'The new name', required: true },
    ],
    examples: ['panel context rename prod live'],
  },
  {
    words: ['context', 'remove'],
    own: 'context',
    summary: 'Forget a saved server and its sign-in',
    args: [],
    ownArguments: [{ ...context, required: true }],
    ownOptions: [yes],
    examples: ['panel context remove prod --yes'],
  },
]
