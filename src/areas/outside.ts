import type { HostClient } from '../host/contract/client.ts'
import type { Links } from '../host/nodes/fleet/fleet.ts'
import type { Outgoing } from '../outgoing/client.ts'
import type { Lookups } from '../outgoing/lookups.ts'
import type { NodeCertificates, ServerCertificate } from '../runtime/security/server-certificate.ts'

declare module '../runtime/areas/area.ts' {
  interface Outside {
    /** How jobs change the host. */
    readonly host: HostClient
    /** The hosts of all nodes, each by itself. */
    readonly fleet: Links
    /** For requests that leave this machine. */
    readonly outgoing: Outgoing
    /** What the world's name servers say. */
    readonly lookups: Lookups
    /** What shows that the server is who its names say. */
    readonly certificate: ServerCertificate
    /** What shows that the machines of nodes are who their names say. */
    readonly nodeCertificates: NodeCertificates
  }
}
