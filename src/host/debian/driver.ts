import { createDirectoryDriver } from '../directory.ts'
import type { HostDriver } from '../driver.ts'
import { HostError } from '../error.ts'
import type { Machine } from '../machine.ts'
import { debianMachine } from './machine.ts'

/** The driver of a Debian machine: the same files and the same engine at its real root, and what a machine does besides. */
export function createDebianDriver(machine: Machine = debianMachine(), root = '/'): HostDriver {
  const inner = createDirectoryDriver({ root, machine })
  return {
    kind: 'debian',
    recover: (ordered) => inner.recover(ordered),
    apply: (state, options) => inner.apply(state, options),
    remove: (account, options) => inner.remove(account, options),
    diff: (server, account) => inner.diff(server, account),
    usage: (accounts, options) => inner.usage(accounts, options),
    // What lies in a home may only be touched with the rights of its owner, which these do not do yet.
    files: () => notYet('files of homes'),
    runCron: async () => notYet('cron'),
    close: () => inner.close(),
    backups: {
      make: async () => notYet('backups'),
      check: async () => notYet('backups'),
      read: async () => notYet('backups'),
      open: async () => notYet('backups'),
      restore: async () => notYet('backups'),
      remove: async () => notYet('backups'),
    },
  }
}

function notYet(what: string): never {
  throw new HostError('unsupported', `The Debian host does not support ${what} yet.`)
}
