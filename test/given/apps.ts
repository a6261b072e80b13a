import { type Given, made } from './index.ts'

export const given: Given = {
  host: { apps: { apps: [], gone: [] } },
  async ofAccount(panel, account) {
    const { app } = await made(panel, `/accounts/${account}/apps`, { name: 'given', kind: 'static' })
    // A host that cannot fetch creates none.
    const id = panel.panel.runtime.id()
    const insert =
      "INSERT INTO app_releases VALUES (?, ?, ?, 'git', NULL, NULL, NULL, NULL, 'superseded', NULL, 1, ?, 1, 1)"
    await panel.store.change(() => void panel.store.sqlite.prepare(insert).run(id, app.id, 1, id))
    const later = panel.panel.runtime.id()
    await panel.store.change(() => void panel.store.sqlite.prepare(insert).run(later, app.id, 2, later))
    return { '/accounts/{id}/apps/{aid}': app.id, '/accounts/{id}/apps/{aid}/releases/{rid}': id }
  },
}
