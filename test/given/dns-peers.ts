import { type Given, made } from './index.ts'

export const given: Given = {
  ofServer: async (panel) => {
    const { peer } = await made(panel, '/nodes/dns-peers', { name: 'ns9', address: ['192.0.2.59'] })
    return { '/nodes/dns-peers/{id}': peer.id }
  },
}
