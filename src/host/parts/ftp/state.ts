import { loginDirectory, loginName, MAX_DIRECTORY_LENGTH } from '../../../shared/ftp.ts'
import { complete, fields, listOf, objectOf, optional, patterns, text } from '../../contract/fields.ts'

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

const login = objectOf<FtpLogin>(
  {
    login: text(new RegExp(`^${loginName}@${domain}$`)),
    hash: text(patterns.crypt),
    directory: text(loginDirectory, MAX_DIRECTORY_LENGTH),
    quotaMb: optional(complete(1, 2 ** 40)),
  },
  'an FTP login',
)

export const checkFtp = fields<FtpState>({ logins: listOf(login, maxLogins) }, 'FTP')
