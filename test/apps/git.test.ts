import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { occurred, problem } from '../domains/fixtures.ts'
import type { PanelOptions } from '../harness.ts'
import { overHttps, overSsh, repository, sshd } from '../host/apps/repository.ts'
import { withAlice } from './fixtures.ts'

const deployed = { events: ['app.deploy_started', 'job.completed'], jobs: ['app.deploy succeeded'] }
const failed = { events: ['app.deploy_started', 'job.failed'], jobs: ['app.deploy failed'] }

/** Every name resolves to this machine, where root allows repositories. */
async function withRepository(networks: readonly string[] = ['127.0.0.0/8'], options: PanelOptions = {}) {
  const resolve = async () => ['127.0.0.1']
  const alice = await withAlice({ outgoing: { resolve }, ...options })
  const { panel, path } = alice
  expect((await panel.patch('/settings', { git_networks: networks })).status).toBe(200)
  const deploy = async (id: string, body: object = {}) => {
    const reply = await panel.post(`${path}/${id}/deploy`, body)
    expect(reply.status, JSON.stringify(reply.body)).toBe(202)
    const happening = await occurred(panel)
    const { release, log } = (await panel.get(`${path}/${id}/releases/${reply.body.release.id}`)).body
    return { happening, release, log: log.map((line: { message: string }) => line.message) as string[] }
  }
  return { ...alice, ...repository(), deployNow: deploy }
}

describe('repository', { timeout: 60_000 }, () => {
  test('deploys a repository at its branch, or at the requested revision', async () => {
    const { app, deployNow, directory, ...repo } = await withRepository()
    const { url } = await overHttps(repo, { credential: 'deploy:canary-Wren-1' })
    const first = repo.commit({ 'index.html': 'one' })
    repo.git('tag', 'v1')
    const second = repo.commit({ 'index.html': 'two' })
    const credential = { git_username: 'deploy', git_password: 'canary-Wren-1' }
    const { id } = await app('docs', 'static', { git_url: url, git_branch: 'main', ...credential })
    const page = () => readFileSync(join(directory('docs'), 'current/index.html'), 'utf8')
    const { happening, release, log } = await deployNow(id)
    expect([happening, page()]).toEqual([deployed, 'two'])
    expect(release).toMatchObject({ source: 'git', ref: 'main', commit: second, status: 'live' })
    expect(log.join('\n')).not.toContain('Wren')
    expect((await deployNow(id, { ref: 'v1' })).release).toMatchObject({ ref: 'v1', commit: first })
    expect(page()).toBe('one')
    expect((await deployNow(id, { ref: second })).release).toMatchObject({ commit: second })
  })

  test('fetches a repository without its submodules, with a warning', async () => {
    const { app, deployNow, ...repo } = await withRepository()
    const { url } = await overHttps(repo)
    const submodules =
      '[submodule "a"]\n\tpath = a\n\turl = ../../x.git\n[submodule "b"]\n\tpath = b\n\turl = file:///etc\n'
    repo.commit({ 'index.html': 'x', '.gitmodules': submodules })
    const { id } = await app('docs', 'static', { git_url: url })
    const { happening, log } = await deployNow(id)
    expect(happening).toEqual(deployed)
    expect(log).toContain('Submodules are not fetched.')
  })

  test.each([
    ['resolves to', 'git.example'],
    ['is', '127.0.0.1'],
  ])('does not contact a repository whose host %s an internal address', async (_how, name) => {
    const { panel, app, deployNow, releases, ...repo } = await withRepository([])
    const { port, requests } = await overHttps(repo)
    const { id } = await app('docs', 'static', { git_url: `https://${name}:${port}/repo.git` })
    const { happening, release } = await deployNow(id)
    expect(happening).toEqual(failed)
    expect(release).toMatchObject({ status: 'failed', error: expect.stringContaining('git_networks') })
    expect(requests).toEqual([])
  })

  test.each([['169.254.169.254'], ['10.0.0.1', '192.0.0.8'], ['93.184.215.14', '127.0.0.1'], ['::1'], ['fd00::1']])(
    'does not contact a repository at %j',
    async (...addresses) => {
      const { app, deployNow } = await withRepository([], { outgoing: { resolve: async () => addresses } })
      const { id } = await app('docs', 'static', { git_url: 'https://git.example/repo.git' })
      expect((await deployNow(id)).release.error).toMatch(/internal address/)
      const literal = await app('other', 'static', { git_url: 'ssh://git@169.254.169.254/repo.git' })
      expect((await deployNow(literal.id)).release.error).toMatch(/internal address/)
    },
  )

  test('does not follow a redirect of a repository', async () => {
    const { app, deployNow, ...repo } = await withRepository()
    const inside = await overHttps(repository())
    const { url } = await overHttps(repo, { location: `https://127.0.0.1:${inside.port}/repo.git/info/refs` })
    const { id } = await app('docs', 'static', { git_url: url })
    expect((await deployNow(id)).happening).toEqual(failed)
    expect(inside.requests).toEqual([])
  })

  test.runIf(sshd)("opens a repository over ssh with the app's key, and pins its host key", async () => {
    const { panel, path, app, show, deployNow, ...repo } = await withRepository()
    const { url, hostKey } = await overSsh(repo)
    repo.commit({ 'index.html': 'x' })
    const { id, deploy_key } = await app('docs', 'static', { git_url: url })
    expect((await deployNow(id)).happening).toEqual(failed)
    writeFileSync(join(repo.top, 'authorized'), `${deploy_key}\n`, { mode: 0o600 })
    expect((await deployNow(id)).happening).toEqual(deployed)
    expect((await show(id)).host_key).toBe(hostKey)
    const other = `ssh-ed25519 ${Buffer.alloc(51, 7).toString('base64')}`
    await panel.store.change(() => void panel.store.sqlite.prepare('UPDATE apps SET host_key = ?').run(other))
    expect((await deployNow(id)).release).toMatchObject({ status: 'failed' })
    await panel.patch(`${path}/${id}`, { host_key: null })
    await occurred(panel)
    expect((await deployNow(id)).happening).toEqual(deployed)
    expect((await show(id)).host_key).toBe(hostKey)
  })

  test.each([['10.1.0.0/33'], ['here'], ['10.1.0.0/16/8'], ['']])(
    'does not contact a repository in the network %j',
    async (network) => {
      const { panel } = await withAlice({})
      expect(problem(await panel.patch('/settings', { git_networks: [network] }))).toEqual([
        400,
        'validation',
        'git_networks',
      ])
    },
  )
})
