import { type Given, made } from './index.ts'

export const given: Given = {
  host: { cron: { jobs: [] } },
  async ofAccount(panel, account) {
    const path = `/accounts/${account}/cron/jobs`
    const { cron_job } = await made(panel, path, { schedule: '@daily', command: 'true' })
    // A server that runs no commands of accounts creates none.
    const id = panel.panel.runtime.id()
    const insert = "INSERT INTO cron_runs VALUES (?, ?, 'schedule', 'succeeded', 0, NULL, 1, 2, '', 0)"
    await panel.store.change(() => void panel.store.sqlite.prepare(insert).run(id, cron_job.id))
    return { '/accounts/{id}/cron/jobs/{cid}': cron_job.id, '/accounts/{id}/cron/jobs/{cid}/runs/{rid}': id }
  },
}
