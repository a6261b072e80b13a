import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'

/** The encryption purposes of apps' values. */
export const purposes = { password: 'app git password', key: 'app deploy key', env: 'app environment' } as const

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['apps', 'app_releases', 'app_env'],
  sealed: [
    { table: 'apps', column: 'git_password', purpose: purposes.password },
    { table: 'apps', column: 'private_key', purpose: purposes.key },
    { table: 'app_env', column: 'sealed', purpose: purposes.env },
  ],
}
