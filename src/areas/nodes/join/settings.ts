import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'

declare module '../../../runtime/settings/settings.ts' {
  interface Settings {
    /** The control plane's addresses for nodes, in order: `host:port`. By default its own name and node port. */
    control_addresses: string[]
  }
}

export const controlAddresses = ({ store }: Pick<Runtime, 'store'>): string[] =>
  getSetting(store.db, 'control_addresses') ?? []
