import { KeyedLock } from '../../../shared/lock.ts'

/** Logins of all accounts: by FTP each has its own directory for its root, by SFTP the home. */
export const ftpLists = { ftp: '/etc/panel/ftp/passwd', sftp: '/etc/panel/ftp/sftp-passwd' } as const

/** Where ProFTPD notes its sessions. */
export const scoreboard = '/run/proftpd.scoreboard'

/** Who changes a list does so alone. */
export const editing = new KeyedLock()
