/** A logged-in FTP session. */
export interface FtpSession {
  readonly login: string
  /** The client's address. */
  readonly address: string
  readonly protocol: 'ftp' | 'ftps' | 'sftp'
  /** When it was opened. */
  readonly since: number
}
