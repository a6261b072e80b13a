import { KeyedLock } from '../../../shared/lock.ts'

/** Logins of all accounts: by FTP each has its own directory for its root, by SFTP the home. */
export const ftpLists = { ftp: '/etc/panel/ftp/passwd', sftp: '/etc/panel/ftp/sftp-passwd' } as const

/** Where ProFTPD notes its sessions. */
export const scoreboard = '/run/proftpd.scoreboard'

/** What was transferred, by which login: for root alone, which ProFTPD leaves to who makes the file. */
export const transferLog = '/var/log/panel/ftp.log'

/** Who changes a list does so alone. */
export const editing = new KeyedLock()
