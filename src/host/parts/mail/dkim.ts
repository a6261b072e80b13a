import type { AccountCore } from '../../contract/account.ts'
import { type DirSpec, type FileSpec, systemDir } from '../spec.ts'
import type { MailDomain } from './state.ts'

const keysDir = 'etc/panel/mail/dkim.d'
const dirOf = ({ username }: Pick<AccountCore, 'username'>): string => `${keysDir}/${username}`

/** The path of a selector's key. */
export const pathOfKey = (core: Pick<AccountCore, 'username'>, domain: string, selector: string): string =>
  `${dirOf(core)}/${domain}.${selector}.pem`

/** The DKIM keys of the account's mail, readable only by the signing daemon. */
export function dkimFiles(core: AccountCore, domains: readonly MailDomain[]): { dirs: DirSpec[]; files: FileSpec[] } {
  const files = domains.flatMap(({ domain, dkim }) =>
    dkim.map(
      ({ selector, privatePem }): FileSpec => ({
        path: pathOfKey(core, domain, selector),
        content: privatePem,
        mode: 0o640,
        uid: 'root',
        gid: 'opendkim',
      }),
    ),
  )
  return { dirs: files.length > 0 ? [systemDir(dirOf(core), 0o750, 'opendkim')] : [], files }
}

export const dkimDirs: readonly DirSpec[] = [systemDir(keysDir, 0o750, 'opendkim')]
