/** A session of FTP that has logged in. */
export interface FtpSession {
  readonly login: string
  /** Where it comes from. */
  readonly address: string
  readonly protocol: 'ftp' | 'ftps' | 'sftp'
  /** When it was opened. */
  readonly since: number
}
