import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { host, occurred } from '../domains/fixtures.ts'
import type { Json } from '../harness.ts'
import { appsIn, ask, program, programsOf, withAlice } from './fixtures.ts'

const node = { start: 'node app.js' }
const reading = 'require("node:fs").readFileSync("text", "utf8")'
const restored = { events: ['job.completed'], jobs: ['backup.restore succeeded'] }

async function withBackups() {
  const input = await withAlice()
  const { panel, alice } = input
  const backups = `/accounts/${alice.id}/backups`
  /** The id of a completed backup. */
  const made = async (...parts: string[]): Promise<string> => {
    const { backup } = (await panel.post(backups, { parts })).body
    await occurred(panel)
    return backup.id
  }
  const restore = async (id: string, body: object = { parts: ['files'] }) => {
    expect((await panel.post(`${backups}/${id}/restore`, body)).status).toBe(202)
    expect(await occurred(panel)).toEqual(restored)
  }
  return { ...input, made, restore }
}

/** Answers with the path of its virtual environment. */
const python = `
import http.server, os, socketserver, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def address_string(self): return 'local'
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(sys.prefix.encode())
socketserver.ThreadingUnixStreamServer(os.environ['PORT'], Handler).serve_forever()
`
const installed =
  'python3 -m venv --without-pip .venv && (printf "#!%s/.venv/bin/python\\n" "$PWD"; cat app.py) > .venv/bin/hello && chmod +x .venv/bin/hello'

const statuses = (releases: readonly Json[]) => releases.map(({ number, status }) => `${number} ${status}`).sort()

describe('restore of files', { timeout: 60_000 }, () => {
  test('makes the release in the backup live again, and the app can be restarted', async () => {
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
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['app.restart succeeded'] })
    expect((await ask(socket(id))).text).toBe('v1')
    expect((await live(id, 'v3')).number).toBe(3)
  })

  test('applies a restore for a suspended account at the end of the suspension', async () => {
    const { panel, alice, app, live, show, socket, made, restore } = await withBackups()
    const { id } = await app('shop', 'node', node)
    const first = await live(id, 'v1')
    const backup = await made('files')
    await live(id, 'v2')
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await occurred(panel)
    await restore(backup)
    expect(await show(id)).toMatchObject({ status: 'suspended', current_release_id: first.id })
    expect(programsOf(panel)).toEqual([])
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await occurred(panel)
    const text = () => ask(socket(id)).then((answer) => answer.text, String)
    await expect.poll(text).toBe('v1')
  })

  test('restarts the same release in the restored files', async () => {
    const { app, live, socket, directory, made, restore } = await withBackups()
    const { id } = await app('shop', 'node', node)
    await live(id, { 'app.js': program('', `return response.end(${reading})`), text: 'as saved' })
    const backup = await made('files')
    writeFileSync(join(directory('shop'), 'current/text'), 'defaced')
    expect((await ask(socket(id))).text).toBe('defaced')
    await restore(backup)
    expect((await ask(socket(id))).text).toBe('as saved')
  })

  test('leaves a newer app alone', async () => {
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

describe('deleted app', { timeout: 60_000 }, () => {
  test('serves a deleted app again when its account is restored as a new one', async () => {
    const { panel, alice, app, live, made } = await withBackups()
    const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
    const shop = await app('shop', 'node', { ...node, domain_id: domain.id })
    await live(shop.id, 'v1')
    const second = await live(shop.id, 'v2')
    const docs = await app('docs')
    await live(docs.id, { 'index.html': 'hello' })
    const backup = await made('files', 'config')
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await occurred(panel)
    const fresh = { username: 'anna', domain: 'anna.example' }
    const { account } = (await panel.post(`/backups/${backup}/restore`, fresh)).body
    expect(await occurred(panel)).toEqual({
      events: ['account.created', 'job.completed', 'job.completed'],
      jobs: ['account.create succeeded', 'backup.restore succeeded'],
    })
    const path = `/accounts/${account.id}/apps`
    const { items } = (await panel.get(path)).body
    const named = (name: string): Json => items.find((one: Json) => one['name'] === name)
    const { id } = named('shop')
    const { releases, socket, live: liveAgain } = appsIn(panel, account.id)
    const { source, size_bytes, created_at } = second
    const all = await releases(id)
    const release = { number: 2, status: 'live', source, size_bytes, created_at, activated_at: expect.anything() }
    expect(all).toEqual([expect.objectContaining(release)])
    expect(named('shop')).toMatchObject({ status: 'running', current_release_id: all[0]!['id'] })
    expect((await ask(socket(id))).text).toBe('v2')
    expect(named('docs')['status']).toBe('running')
    expect(host(panel).vhost('anna.example')).toContain(id)
    await panel.post(`${path}/${id}/restart`)
    expect((await occurred(panel)).jobs).toEqual(['app.restart succeeded'])
    expect((await liveAgain(id, 'v3')).number).toBe(3)
  })

  test('gives a restored Python app its virtual environment in the home of the new account', async () => {
    const { panel, alice, app, live, made } = await withBackups()
    const settings = { install: installed, start: 'hello', build_timeout_s: 60 }
    const { id } = await app('shop', 'python', settings)
    await live(id, { 'app.py': python })
    const backup = await made('files', 'config')
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await occurred(panel)
    const fresh = { username: 'anna', domain: 'anna.example' }
    const { account } = (await panel.post(`/backups/${backup}/restore`, fresh)).body
    await occurred(panel)
    const [again] = (await panel.get(`/accounts/${account.id}/apps`)).body.items
    expect(again).toMatchObject({ name: 'shop', status: 'running' })
    const place = join(panel.dir, 'host/home/anna/apps/shop/releases/1/.venv')
    expect((await ask(appsIn(panel, account.id).socket(again.id))).text).toBe(place)
  })

  test('serves a deleted app again after a restore of its own account', async () => {
    const { panel, path, app, live, directory, made, restore } = await withBackups()
    const { id } = await app('docs')
    await live(id, { 'index.html': 'hello' })
    const backup = await made('files', 'config')
    await panel.delete(`${path}/${id}`)
    await occurred(panel)
    await restore(backup, {})
    const [again] = (await panel.get(path)).body.items
    expect(again).toMatchObject({ name: 'docs', status: 'running', current_release_id: expect.any(String) })
    expect(readFileSync(join(directory('docs'), 'current/index.html'), 'utf8')).toBe('hello')
  })
})
