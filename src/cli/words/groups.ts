/** The help's headings, with their first words. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Core commands:': [
    'accounts',
    'domains',
    'dns',
    'ssl',
    'email',
    'mysql',
    'apps',
    'wordpress',
    'files',
    'backups',
    'jobs',
  ],
  'More of an account:': ['cron', 'ftp', 'ssh', 'logs', 'trash', 'notification-preferences'],
  'Packages and addresses:': ['packages', 'feature-lists', 'ips', 'lookup'],
  'Resellers and access:': ['resellers', 'acls', 'tokens', 'root', 'security', 'bans', 'firewall', 'waf', 'audit'],
  'Events:': ['events', 'webhooks'],
  'The server:': [
    'server',
    'serve',
    'service',
    'host',
    'nodes',
    'import',
    'whm',
    'settings',
    'brand',
    'license',
    'notices',
    'alerts',
    'email-templates',
    'relays',
    'backup-destinations',
    'backup',
    'restore',
    'replica',
    'takeover',
    'secret',
    'doctor',
    'upgrade',
  ],
  'This command line:': ['open', 'login', 'logout', 'whoami', 'context', 'api', 'mcp', 'completion', 'version', 'help'],
}

const others = 'More:'

export const groupOf = (word: string): string =>
  Object.entries(groups).find(([, words]) => words.includes(word))?.[0] ?? others

/** The first words in the order of the help. */
export function byGroup<T extends { readonly words: readonly string[] }>(commands: readonly T[]): T[] {
  const order = Object.values(groups).flat()
  const rank = ({ words }: T): number => order.indexOf(words[0] ?? '') >>> 0
  return [...commands].sort((first, second) => rank(first) - rank(second))
}
