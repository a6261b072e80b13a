import { type Given, made } from './index.ts'

export const given: Given = {
  ofServer: async (panel) => ({ '/ips/{id}': (await made(panel, '/ips', { address: '192.0.2.10' })).id }),
}
