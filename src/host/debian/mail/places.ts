const queue = '/var/spool/postfix'
const socket = (name: string) => ({ name, path: `${queue}/${name}` })

/** Below Postfix's queue, where only Postfix can reach them. */
export const queueDir = queue
export const sockets = {
  login: socket('private/panel-login'),
  program: socket('private/panel-program'),
  unverified: socket('private/panel-unverified'),
  /** Mail that is forwarded goes out by it, and comes back with its sender rewritten. */
  forward: socket('private/panel-forward'),
  /** Whether a rewritten sender takes a bounce, and where it leads. */
  bounces: socket('private/panel-bounces'),
  bounceTargets: socket('private/panel-bounce-targets'),
}

/** Where Postfix takes forwarded mail back. */
export const returnSocket = socket('private/panel-return')

/** The keys of rewritten senders. */
export const senderKeysFile = '/var/lib/panel-host/sender-keys.json'

/** Postfix's compiled maps. */
export const mapsDir = '/etc/panel/mail/maps'

/** The certificates that Postfix shows by the name that a client asks for. */
export const namesMap = 'names'
/** The same for Dovecot. */
export const dovecotNames = '/etc/panel/mail/dovecot-names.conf'

/** OpenDKIM's keys; the agent decides whose mail they sign. */
export const dkimKeys = '/etc/panel/mail/dkim/keys'

/** By address whose mail is forwarded: the key that seals it. rspamd reads it. */
export const seals = '/etc/panel/mail/dkim/seals'

/** Users who may not submit mail: the suspended, and those at their limit. World-readable. */
export const submitDir = '/etc/panel/submit'
export const submitLists = ['nosubmit', 'over'] as const

/**
 * The senders that each account's programs may use: it names all accounts' domains, so only the submit program can read
 * it.
 */
export const programSenders = { path: `${submitDir}/senders`, mode: 0o640, group: 'postdrop' } as const

/** Where Postfix has messages checked for spam. */
export const rspamdSocket = '/run/rspamd/milter.sock'
export const spamFilter = '/usr/bin/rspamd'

/** Keeps accounts' programs off port 25. */
export const smtpGuard = '/etc/panel/smtp.nft'
export const guardTable = 'panel_smtp'

/** The log of all deliveries. */
export const mailLog = '/var/log/panel/mail.log'

/** What became of messages, as that log says it. */
export const traceFile = '/var/lib/panel-host/mail-trace.db'
