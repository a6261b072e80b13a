/** Limits what programs of this machine may claim and take of its services, by user. */
export const localTable = 'panel_local'

/** The loopback address that webmail alone can connect from, so Dovecot believes whom it names. */
export const webmailAddress = '127.0.0.2'
