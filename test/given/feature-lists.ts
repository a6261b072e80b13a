import { type Given, made } from './index.ts'

export const given: Given = {
  ofServer: async (panel) => ({
    '/feature-lists/{id}': (await made(panel, '/feature-lists', { name: 'basic' })).id,
  }),
}
