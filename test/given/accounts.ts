import type { Given } from './index.ts'

export const given: Given = { ofAccount: async (_panel, id) => ({ '/accounts/{id}': id }) }
