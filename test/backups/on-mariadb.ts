import { join } from 'node:path'
import { DirectoryBackups } from '../../src/host/backup/index.ts'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { DatabaseContent } from '../../src/host/debian/db/content/content.ts'
import { Databases } from '../../src/host/debian/db/databases.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { LocalHomes } from '../../src/host/homes/local.ts'
import type { FailPoint } from '../../src/host/install/engine.ts'
import type { MariaDb } from '../mysql/mariadb.ts'

/** A host in a directory, with its databases on a real server. */
export const onMariaDb =
  (server: MariaDb, onFailPoint?: FailPoint) =>
  (root: string): HostDriver => {
    const real = createDirectoryDriver({ root })
    const { sql } = server
    const databases = new Databases(sql)
    const homes = new LocalHomes({ root, nameOf: ({ username }) => username })
    const backups = new DirectoryBackups({
      root: join(root, '../backups'),
      host: root,
      homes: join(root, 'home'),
      homeOf: (account) => homes.saved(account),
      databases: new DatabaseContent(sql, { at: server.socket, lists: join(root, 'etc/panel/db.d') }),
      onFailPoint,
    })
    const apply: HostDriver['apply'] = async (state, options) => {
      const result = await real.apply(state, options)
      for (const account of state.accounts) await databases.apply(account)
      return result
    }
    const remove: HostDriver['remove'] = async (account, options) => {
      await real.remove(account, options)
      if (options?.belongings) await databases.remove(options.belongings)
    }
    const others = { apply, remove, backups }
    return new Proxy(real, {
      get(target, name) {
        if (name in others) return others[name as keyof typeof others]
        const value = target[name as keyof HostDriver]
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value
      },
    })
  }
