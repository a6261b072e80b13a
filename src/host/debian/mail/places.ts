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

/** What became of all messages. */
export const mailLog = '/var/log/panel/mail.log'
