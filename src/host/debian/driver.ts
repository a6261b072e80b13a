import { existsSync } from 'node:fs'
import type { HostDriver } from '../contract/driver.ts'
import { createDirectoryDriver } from '../driver/file-driver.ts'
import { type Run, run as runForReal } from './commands.ts'
import { confinedImports } from './imports.ts'
import { conditionOf } from './inspect/condition.ts'
import { Configurations } from './inspect/configurations.ts'
import { DiskReports } from './inspect/disk-reports.ts'
import { inspect } from './inspect/index.ts'
import { type DebianServices, debianMachine } from './machine.ts'
import { handToPostfix, sendmail } from './mail/outgoing.ts'
import { queueDir } from './mail/places.ts'
import { suiteOf } from './suite.ts'
import { verify } from './verify/index.ts'

/** The driver of a Debian machine: the same files and engine at the real root, plus the machine's services. */
export function createDebianDriver(
  services: DebianServices = debianMachine(),
  root = '/',
  run: Run = runForReal,
): HostDriver {
  const configurations = new Configurations(run)
  const disks = new DiskReports(run)
  return createDirectoryDriver({
    root,
    machine: {
      ...services,
      canSendMail: async () => existsSync(sendmail),
      sendMail: (mail) => handToPostfix(run, mail),
      imports: confinedImports(run),
      condition: () => conditionOf({ run, suite: suiteOf(), disks, queue: queueDir }),
      inspect: () => inspect(run, suiteOf(), configurations),
      verify: (state, doing) => verify({ ...state, run, suite: suiteOf() }, doing),
    },
  })
}
