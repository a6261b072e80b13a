import { type Given, made } from './index.ts'

export const given: Given = {
  ofServer: async (panel) => ({
    '/acls/{id}': (await made(panel, '/acls', { name: 'sellers', acl: ['list-accts'] })).id,
  }),
}
