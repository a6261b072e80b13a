import type { Area } from '../../runtime/areas/area.ts'
import { prepareNodes } from './first.ts'
import { joinOperations } from './join/operations.ts'
import { refuseSettings } from './join/refuse.ts'
import { LinkService, linksOf } from './link/service.ts'
import { measureNodes } from './metrics.ts'
import { nodeOperations } from './operations.ts'
import { findNode, holdsAccounts } from './store.ts'
import { stored } from './stored.ts'
import type { NodeRow } from './tables.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/nodes/{id}': { node: NodeRow }
  }
}

export const nodes = {
  name: 'nodes',
  handlers: { ...nodeOperations, ...joinOperations },
  services: { holdsAccounts },
  settings: { control_addresses: [] },
  refuseSettings,
  settingsChanged({ runtime, afterCommit }, changed) {
    if (changed.control_addresses) afterCommit(() => void linksOf(runtime).refresh())
  },
  finders: { '/nodes/{id}': (ctx, { id }) => ({ node: findNode(ctx, id) }) },
  prepare: prepareNodes,
  async start(runtime, outside) {
    const { fleet } = outside
    measureNodes(runtime)
    const links = await LinkService.start(runtime, outside)
    const forget = ({ name }: { name: string }): void => fleet.detach(name, `Node ${name} was deleted.`)
    runtime.signals.on('nodeDeleted', forget)
    const stop = async (): Promise<void> => {
      runtime.signals.off('nodeDeleted', forget)
      await links.stop()
    }
    return { stop }
  },
  stored,
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
} satisfies Area
