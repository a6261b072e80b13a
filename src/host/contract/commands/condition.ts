import { command } from '../command.ts'
import type { Output } from '../fields.ts'
import * as shape from '../shape.ts'
import { nothing } from './names.ts'

const fileSystem = shape.fields({
  /** Where it is mounted. */
  path: shape.name,
  usedMb: shape.count,
  /** Without what is reserved for root. */
  totalMb: shape.count,
  usedInodes: shape.count,
  /** 0 where their number is not fixed. */
  inodes: shape.count,
})
export type FileSystem = Output<typeof fileSystem>

/** A service that should run and does not. */
const stopped = shape.fields({
  name: shape.name,
  unit: shape.name,
  /** In systemd's terms: inactive, failed. */
  state: shape.name,
})

const failingDisk = shape.fields({ device: shape.name, reason: shape.sentence })

/** The state of a machine at one moment. */
const condition = shape.fields({
  /** Its own clock. */
  now: shape.moment,
  cpus: shape.count,
  /** The load average of 15 minutes, in hundredths of a process. */
  load: shape.count,
  memoryMb: shape.count,
  /** What programs can have without swapping. */
  availableMb: shape.count,
  fileSystems: shape.list(fileSystem, 100),
  stopped: shape.list(stopped, 1000),
  /** Messages in the mail server's queue; absent without one. */
  queuedMail: shape.maybe(shape.count),
  /** Those of them that could not be delivered yet. */
  deferredMail: shape.maybe(shape.count),
  /** How far its clock is off by its own time server, in milliseconds; absent if that is not known. */
  clockOffsetMs: shape.maybe(shape.count),
  /** Why the machine should be restarted. */
  rebootReason: shape.maybe(shape.sentence),
  /** By their own reports (SMART). */
  failingDisks: shape.list(failingDisk, 100),
  /** Accounts whose databases can only be read while the disk is nearly full; older agents do not say. */
  readOnlyDatabases: shape.maybe(shape.list(shape.name, 1000)),
})
export type Condition = Output<typeof condition>

export const conditionCommands = {
  /** Looks at the machine itself; null if the host is a directory. */
  condition: command({ input: nothing('condition'), result: shape.orNone(condition) }),
}
