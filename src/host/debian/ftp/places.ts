import { KeyedLock } from '../../../shared/lock.ts'

/** All accounts' logins: over FTP each is rooted in its own directory, over SFTP in the home. */
export const ftpLists = { ftp: '/etc/panel/ftp/passwd', sftp: '/etc/panel/ftp/sftp-passwd' } as const

/** What ProFTPD locks at each log-in. Who can open a file can hold a lock on it, so this is root's alone. */
export const ftpFolder = '/run/panel-ftp'

/** ProFTPD's list of sessions. */
export const scoreboard = `${ftpFolder}/scoreboard`

/** Addresses that guessed passwords. */
export const banTable = `${ftpFolder}/bans`

/** How long log-ins take. */
export const delayTable = `${ftpFolder}/delays`

/** Transfers by login, readable by root only: ProFTPD keeps the mode that the file was created with. */
export const transferLog = '/var/log/panel/ftp.log'

/** Serializes changes to a list. */
export const editing = new KeyedLock()
