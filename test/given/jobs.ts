import type { Given } from './index.ts'

/** An account is created by one. */
export const given: Given = {
  async ofAccount(panel, account) {
    const [job] = (await panel.get(`/accounts/${account}/jobs`)).body.items
    return { '/jobs/{id}': job.id, '/accounts/{id}/jobs/{jid}': job.id }
  },
}
