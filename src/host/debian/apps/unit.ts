import { needsSocket } from '../db/sockets.ts'
import { accountPath } from '../php/command.ts'
import { sandboxProperties, sliceOf } from '../sandbox.ts'
import { needsTerminals } from '../terminals.ts'

/** The units of an account's apps and builds; a username has no hyphen. */
export const appUnits = (username: string): string => `panel-app-${username}-*.service`
export const buildUnits = (username: string): string => `panel-build-${username}-*.service`
export const allAppUnits = 'panel-app-*.service'
export const allBuildUnits = 'panel-build-*.service'

/** Programs that come with panel, for accounts: Node.js, if the machine has none. */
export const ownPrograms = '/usr/lib/panel/programs'
export const programPath = `${accountPath}:${ownPrograms}`

/** What it takes to become another user. */
const toDrop = 'CAP_SETGID CAP_SETUID'

export interface TenantUnit {
  readonly name: string
  readonly description: string
  readonly username: string
  /** It starts as root, and drops to its owner itself. */
  readonly capabilities?: string
  readonly properties: readonly string[]
}

/** systemd-run's arguments for a tenant's unit; the program's own follow. Nothing here may be secret. */
export const unitWords = ({ name, description, username, capabilities = toDrop, properties }: TenantUnit): string[] => [
  '--quiet',
  '--service-type=exec',
  `--unit=${name}`,
  `--description=${description}`,
  `--slice=${sliceOf(username)}`,
  ...[
    ...needsSocket(username),
    ...needsTerminals(username),
    ...sandboxProperties(username),
    `CapabilityBoundingSet=${capabilities}`,
    ...properties,
  ].map((one) => `--property=${one}`),
]
