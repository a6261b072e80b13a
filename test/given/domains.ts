import type { Given } from './index.ts'

/** An account comes with one. */
export const given: Given = {
  async ofAccount(panel, account) {
    const [domain] = (await panel.get(`/accounts/${account}/domains`)).body.items
    return { '/accounts/{id}/domains/{did}': domain.id }
  },
}
