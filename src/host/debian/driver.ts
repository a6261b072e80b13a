import type { HostDriver } from '../contract/driver.ts'
import { createDirectoryDriver } from '../driver/file-driver.ts'
import type { Machine } from '../driver/machine.ts'
import { type Run, run as runForReal } from './commands.ts'
import { inspect } from './inspect/index.ts'
import { debianMachine } from './machine.ts'
import { suiteOf } from './suite.ts'
import { verify } from './verify/index.ts'

/** The driver of a Debian machine: the same files and engine at the real root, plus the machine's services. */
export function createDebianDriver(machine: Machine = debianMachine(), root = '/', run: Run = runForReal): HostDriver {
  const inner = createDirectoryDriver({ root, machine })
  return {
    kind: 'debian',
    recover: (ordered) => inner.recover(ordered),
    apply: (state, options) => inner.apply(state, options),
    remove: (account, options) => inner.remove(account, options),
    applyServer: (state) => inner.applyServer(state),
    serveZones: (served) => inner.serveZones(served),
    diffZones: (served) => inner.diffZones(served),
    followPrimary: (primary) => inner.followPrimary(primary),
    diff: (server, account, state) => inner.diff(server, account, state),
    inspect: () => inspect(run, suiteOf()),
    verify: (state, options) => verify({ ...state, run, suite: suiteOf() }, options),
    usage: (accounts, options) => inner.usage(accounts, options),
    files: (account) => inner.files(account),
    backups: inner.backups,
    ...(machine.programs && { programs: machine.programs }),
    ...(machine.ftpSessions && { ftpSessions: machine.ftpSessions }),
    ...(machine.refusedDomains && { refusedDomains: machine.refusedDomains }),
    apps: inner.apps,
    trash: (measured, options) => inner.trash(measured, options),
    emptyTrash: (before, doing) => inner.emptyTrash(before, doing),
    runCron: (command, options) => inner.runCron(command, options),
    ...(inner.awaitCron && { awaitCron: (begun, options) => inner.awaitCron!(begun, options) }),
    close: () => inner.close(),
    logs: inner.logs,
  }
}
