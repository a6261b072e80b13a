const queue = '/var/spool/postfix'
const socket = (name: string) => ({ name, path: `${queue}/${name}` })

/** Below Postfix's queue, where only it reaches them. */
export const queueDir = queue
export const sockets = { login: socket('private/panel-login'), program: socket('private/panel-program') }

/** Maps that Postfix reads, compiled. */
export const postfixMaps = ['domains', 'relays', 'mailboxes', 'aliases', 'senders', 'closed'] as const
export const mapsDir = '/etc/panel/mail/maps'

/** Where OpenDKIM finds the keys; whose mail they sign, the agent says. */
export const dkimKeys = '/etc/panel/mail/dkim/keys'

/** Users that submit nothing: the suspended, and those that have sent enough for now. All programs may read it. */
export const submitDir = '/etc/panel/submit'
export const submitLists = ['nosubmit', 'over'] as const

/** What the programs of each account may send under: it names the domains of all, so only what submits reads it. */
export const programSenders = { path: `${submitDir}/senders`, mode: 0o640, group: 'postdrop' } as const

/** Where Postfix asks how much of a message is spam. */
export const rspamdSocket = '/run/rspamd/milter.sock'
export const spamFilter = '/usr/bin/rspamd'

/** Keeps programs of accounts off port 25. */
export const smtpGuard = '/etc/panel/smtp.nft'
export const guardTable = 'panel_smtp'

/** What became of all messages. */
export const mailLog = '/var/log/panel/mail.log'
