import { type Given, made } from './index.ts'

const reading = { name: 'one', scopes: ['read-only'] }

export const given: Given = {
  ofServer: async (panel) => ({ '/tokens/{tid}': (await made(panel, '/tokens', reading)).token.id }),
  ofAccount: async (panel, account) => ({
    '/accounts/{id}/tokens/{tid}': (await made(panel, `/accounts/${account}/tokens`, reading)).token.id,
  }),
  ofReseller: async (panel, send) => ({ '/tokens/{tid}': (await made(panel, '/tokens', reading, send)).token.id }),
}
