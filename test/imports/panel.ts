import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Json, type PanelOptions, startPanel, type TestPanel } from '../harness.ts'

/** A panel, and a directory with archives from which it imports. */
export async function panelWith(
  archives: Readonly<Record<string, Buffer>>,
  options: PanelOptions = {},
): Promise<{ panel: TestPanel; folder: string; path: (name: string) => string }> {
  const panel = await startPanel(options)
  const folder = join(panel.dir, 'archives')
  mkdirSync(folder)
  for (const [name, bytes] of Object.entries(archives)) writeFileSync(join(folder, name), bytes)
  expect((await panel.patch('/settings', { import_dirs: [folder] })).status).toBe(200)
  return { panel, folder, path: (name) => join(folder, name) }
}

/** Inspects an archive, runs the import, and waits for its end. */
export async function imported(panel: TestPanel, body: object): Promise<Json> {
  const created = await panel.post('/imports', { ...body, run: true })
  expect(created.status, JSON.stringify(created.body)).toBe(202)
  await panel.settle()
  return (await panel.get(`/imports/${created.body.import.id}`)).body
}

export const reportOf = async (panel: TestPanel, id: string): Promise<Json[]> =>
  (await panel.get(`/imports/${id}/report?per_page=500`)).body.items
