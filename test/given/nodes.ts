import { localNode } from '../../src/shared/node-name.ts'
import { enrolled } from '../nodes/second.ts'
import type { Given } from './index.ts'

/** A node that gets no accounts; the agent of this machine answers for it. */
export const given: Given = {
  ofServer: async (panel) => {
    const { fleet, runtime } = panel.panel
    await enrolled(panel, { name: 'spare', roles: ['dns'] })
    fleet.attach('spare', fleet.driverOf(localNode))
    runtime.nodes.open('spare')
    const { items } = (await panel.get('/nodes?q=spare')).body
    return { '/nodes/{id}': items[0].id }
  },
}
