/** Ports that customers type into other programs; mail with TLS from the first byte. */
export const servicePorts = { ftp: 21, ssh: 22, imap: 993, smtp: 465 } as const
