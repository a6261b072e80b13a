import { operationList } from '../../../contract/index.ts'
import { worded } from './label.ts'

/** Kinds that are not started by exactly one operation. */
const called: Readonly<Record<string, string>> = {
  'app.apply': 'Apply the settings of apps',
  'backup.index': 'Read what a backup contains',
  'backup.trial': 'Try out a backup',
  'cron.apply': 'Apply the cron jobs',
  'dns.secondary.apply': 'Tell a secondary name server of its primary',
  'dns.served.apply': 'Apply the zones of other nodes',
  'dns.zone.update': 'Change the records of a zone',
  'email.dkim.update': 'Set up the signing of mail',
  'email.domain.update': 'Change the mail settings of a domain',
  'email.spam.update': 'Change the spam filter',
  'host.apply': 'Apply the configuration',
  'mysql.grant.update': "Change a database user's privileges",
  'mysql.host.update': 'Change the hosts that may connect to databases',
  'package.apply': 'Apply a package to its accounts',
  'server.apply': 'Apply the server configuration',
  'server.certificate': "Get the server's certificate",
  'ssh.apply': 'Apply SSH access',
}

/** A job's kind, in the words of the operation that starts it: `email.account.create` is "Create a mailbox". */
export function jobInWords(kind: string): string {
  const verb = kind.slice(kind.lastIndexOf('.') + 1)
  const starters = operationList.filter(({ job }) => job === kind)
  // The shortest: `restoreBackup`, and not the one that restores it as another account.
  const named = starters.filter(({ id }) => id.startsWith(verb)).sort((one, other) => one.id.length - other.id.length)
  const own = named[0] ?? (starters.length === 1 ? starters[0] : undefined)
  return called[kind] ?? own?.summary ?? worded(kind)
}
