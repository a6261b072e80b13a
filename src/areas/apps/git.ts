import { invalid } from '../../contract/problem.ts'
import type { GitSource } from '../../host/contract/driver.ts'
import { type Outgoing, OutgoingError } from '../../outgoing/client.ts'
import { JobError } from '../../runtime/jobs/job-kind.ts'
import { allowedFrom, canonicalRange } from '../../runtime/operations/address.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting, type Settings } from '../../runtime/settings/settings.ts'
import { readGitUrl } from '../../shared/git-url.ts'
import { purposes } from './stored.ts'
import type { AppRow, ReleaseRow } from './tables.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Internal networks that repositories may be fetched from. */
    git_networks: string[]
  }
}

/** 400 for an invalid address range. */
export function refuseNetworks({ git_networks: networks = [] }: Partial<Settings>): void {
  const wrong = networks.find((text) => canonicalRange(text) === undefined)
  if (wrong !== undefined) throw invalid('git_networks', `${wrong} is not an address or a range such as 10.1.0.0/16`)
}

/** The app's repository at a checked address: git connects to no other. */
export async function gitSourceOf(
  runtime: Pick<Runtime, 'store' | 'unseal'>,
  outgoing: Outgoing,
  app: AppRow,
  { ref }: ReleaseRow,
): Promise<GitSource> {
  const { git_url: url, git_username, git_password, private_key, host_key } = app
  const place = url === null ? undefined : readGitUrl(url)
  if (!url || !place) throw new JobError(`${app.name} has no repository.`, true)
  const address = await checkedAddress(runtime, outgoing, place.host)
  const { scheme } = place
  return {
    kind: 'git',
    url,
    address,
    ...(ref !== null && { ref }),
    ...(scheme === 'https' && git_username !== null && { username: git_username }),
    ...(scheme === 'https' && git_password !== null && { password: runtime.unseal(purposes.password, git_password) }),
    ...(scheme === 'ssh' && private_key !== null && { deployKey: runtime.unseal(purposes.key, private_key) }),
    ...(scheme === 'ssh' && host_key !== null && { hostKey: host_key }),
  }
}

async function checkedAddress({ store }: Pick<Runtime, 'store'>, outgoing: Outgoing, host: string): Promise<string> {
  const networks = getSetting(store.db, 'git_networks') ?? []
  const isListed = (address: string): boolean => networks.length > 0 && allowedFrom(networks, address)
  try {
    const [address] = await outgoing.addressesOf(host, isListed)
    return address!
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    if (error.kind === 'dns') throw new JobError(`The name ${host} has no address.`)
    throw new JobError(
      `${host} resolves to an internal address, from which nothing is fetched; root can allow it by the setting git_networks.`,
      true,
    )
  }
}
