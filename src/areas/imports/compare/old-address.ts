import { type Outgoing, OutgoingError } from '../../../outgoing/client.ts'
import { JobError } from '../../../runtime/jobs/job-kind.ts'
import { allowedFrom } from '../../../runtime/operations/address.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { importSettings } from '../limits.ts'

/** The address of an old server, or of its name, if it may be connected to. */
export async function oldAddress(
  { store }: Pick<Runtime, 'store'>,
  outgoing: Outgoing,
  host: string | undefined,
): Promise<string> {
  if (host === undefined) throw new JobError('The address of the old server is not known.', true)
  const networks = getSetting(store.db, 'import_networks') ?? importSettings.import_networks
  const isListed = (address: string): boolean => networks.length > 0 && allowedFrom(networks, address)
  try {
    const [address] = await outgoing.addressesOf(host, isListed)
    return address!
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    if (error.kind === 'dns') throw new JobError(`The name ${host} has no address.`)
    throw new JobError(`${host} is an internal address; root can allow it by the setting import_networks.`, true)
  }
}
