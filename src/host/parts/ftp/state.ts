import { loginDirectory, loginName, longestDirectory } from '../../../shared/ftp.ts'
import { fields, listOf, object, optional, patterns, text, whole } from '../../fields.ts'

export interface FtpLogin {
  readonly login: string
  /** SHA512-CRYPT. */
  readonly hash: string
  /** Relative to the home; `/` is the home itself. */
  readonly directory: string
  readonly quotaMb?: number | undefined
}

export interface FtpState {
  readonly logins: readonly FtpLogin[]
}

const domain = patterns.domain.source.slice(1, -1)
const maxLogins = 100_000

const login = object<FtpLogin>(
  {
    login: text(new RegExp(`^${loginName}@${domain}$`)),
    hash: text(patterns.crypt),
    directory: text(loginDirectory, longestDirectory),
    quotaMb: optional(whole(1, 2 ** 40)),
  },
  'an FTP login',
)

export const checkFtp = fields<FtpState>({ logins: listOf(login, maxLogins) }, 'FTP')
