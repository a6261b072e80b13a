import type { HostDriver } from '../host/driver.ts'
import type { Outgoing } from '../outgoing/client.ts'

declare module '../runtime/area.ts' {
  interface Outside {
    /** How jobs change the host. */
    readonly driver: HostDriver
    /** For requests that leave this machine. */
    readonly outgoing: Outgoing
  }
}
