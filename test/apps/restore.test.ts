import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { happened } from '../domains/given.ts'
import type { Json } from '../harness.ts'
import { ask, program, programsOf, withAlice } from './given.ts'

const node = { start: 'node app.js' }
const reading = 'require("node:fs").readFileSync("text", "utf8")'
const restored = { events: ['job.completed'], jobs: ['backup.restore succeeded'] }

async function withBackups() {
  const given = await withAlice()
  const { panel, alice } = given
  const backups = `/accounts/${alice.id}/backups`
  /** The id of a backup that has been made. */
  const made = async (...parts: string[]): Promise<string> => {
    const { backup } = (await panel.post(backups, { parts })).body
    await happened(panel)
    return backup.id
  }
  const restore = async (id: string, body: object = { parts: ['files'] }) => {
    expect((await panel.post(`${backups}/${id}/restore`, body)).status).toBe(202)
    expect(await happened(panel)).toEqual(restored)
  }
  return { ...given, made, restore }
}

const statuses = (releases: readonly Json[]) => releases.map(({ number, status }) => `${number} ${status}`).sort()

describe('a restore of files', { timeout: 60_000 }, () => {
  test('brings the release back live that the backup holds, and the app can be restarted', async () => {
    const { panel, path, app, live, show, socket, releases, directory, made, restore } = await withBackups()
    const { id } = await app('shop', 'node', { ...node, keep_releases: 1 })
    const first = await live(id, 'v1')
    const backup = await made('files')
    await live(id, 'v2')
    expect(statuses(await releases(id))).toEqual(['1 pruned', '2 live'])
    await restore(backup)
    expect(await show(id)).toMatchObject({ status: 'running', current_release_id: first.id })
    expect(statuses(await releases(id))).toEqual(['1 live', '2 pruned'])
    expect(readdirSync(join(directory('shop'), 'releases'))).toEqual(['1'])
    expect(readlinkSync(join(directory('shop'), 'current'))).toBe('releases/1')
    expect((await ask(socket(id))).text).toBe('v1')
    expect(programsOf(panel)).toHaveLength(1)
    await panel.post(`${path}/${id}/restart`)
    expect(await happened(panel)).toEqual({ events: ['job.completed'], jobs: ['app.restart succeeded'] })
    expect((await ask(socket(id))).text).toBe('v1')
    expect((await live(id, 'v3')).number).toBe(3)
  })

  test('starts the same release again in the files that came back', async () => {
    const { app, live, socket, directory, made, restore } = await withBackups()
    const { id } = await app('shop', 'node', node)
    await live(id, { 'app.js': program('', `return response.end(${reading})`), text: 'as saved' })
    const backup = await made('files')
    writeFileSync(join(directory('shop'), 'current/text'), 'defaced')
    expect((await ask(socket(id))).text).toBe('defaced')
    await restore(backup)
    expect((await ask(socket(id))).text).toBe('as saved')
  })

  test('leaves an app that came since where it is', async () => {
    const { app, live, show, socket, directory, made, restore } = await withBackups()
    const backup = await made('files')
    const { id } = await app('shop', 'node', node)
    const release = await live(id, {
      'app.js': program('', `return response.end(process.pid + ${reading})`),
      text: ' here',
    })
    const before = (await ask(socket(id))).text
    await restore(backup, { parts: ['files'], safety: false })
    expect(await show(id)).toMatchObject({ status: 'running', current_release_id: release.id })
    expect(readFileSync(join(directory('shop'), 'current/text'), 'utf8')).toBe(' here')
    expect((await ask(socket(id))).text).toMatch(/^\d+ here$/)
    expect(before).toMatch(/^\d+ here$/)
  })
})
