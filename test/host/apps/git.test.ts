import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { GitSource } from '../../../src/host/contract/driver.ts'
import { readGitUrl } from '../../../src/shared/git-url.ts'
import { appHost, ask, nodeApp, orderOf, unitOf } from './fixtures.ts'
import { overHttps, overSsh, repository, sshd } from './repository.ts'

const gitOf = (url: string, over: Partial<GitSource> = {}): GitSource => ({
  kind: 'git',
  url,
  address: '127.0.0.1',
  ...over,
})

const files = (release: string) => ({ 'app.js': nodeApp(release), 'package.json': '{}' })

/** A host, and a static site that is deployed without a process. */
async function siteHost() {
  const host = await appHost()
  const { root: _, start: __, ...app } = unitOf({ kind: 'static' })
  await host.apply([{ ...app, root: '.' }])
  const deploy = (release: number, source: GitSource, over = {}) =>
    host.deploy(orderOf(release, source, { app, ...over }))
  return { ...host, deployFrom: deploy, at: (path: string) => join(host.folder, 'current', path) }
}

describe('repository over https', { timeout: 60_000 }, () => {
  test('fetches shallowly, at a branch, a tag or a commit, and leaves no git data behind', async () => {
    const [host, repo] = [await siteHost(), repository()]
    const { url } = await overHttps(repo)
    const first = repo.commit({ 'index.html': 'one' })
    repo.git('tag', 'v1')
    const second = repo.commit({ 'index.html': 'two' })
    const found: [string, string | undefined][] = []
    for (const [n, ref] of [undefined, 'v1', 'main', first].entries()) {
      const { made } = await host.deployFrom(n + 1, gitOf(url, ref === undefined ? {} : { ref }))
      found.push([readFileSync(host.at('index.html'), 'utf8'), made.commit])
    }
    expect(found).toEqual([
      ['two', second],
      ['one', first],
      ['two', second],
      ['one', first],
    ])
    expect(existsSync(host.at('.git'))).toBe(false)
    expect(host.releases()).toEqual(['1', '2', '3', '4'])
  })

  test('runs as an app, and gets its password through a pipe that no one else can read', async () => {
    const [host, repo] = [await appHost(), repository()]
    const { url } = await overHttps(repo, { credential: 'alice:p ä"$x' })
    repo.commit(files('g1'))
    await host.apply([unitOf()])
    await host.deploy(orderOf(1, gitOf(url, { username: 'alice', password: 'p ä"$x' })))
    expect(JSON.parse((await ask(host.socket)).body).version).toBe('g1')
    await expect(host.deploy(orderOf(2, gitOf(url, { username: 'alice', password: 'wrong-one' })))).rejects.toThrow(
      `The repository ${url} refuses this username and token`,
    )
    await expect(host.deploy(orderOf(3, gitOf(url)))).rejects.toThrow(
      `The repository ${url} is private, or does not exist: it needs a token or a deploy key.`,
    )
    expect(host.lines.join('\n')).not.toMatch(/wrong-one|p ä/)
    expect(host.releases()).toEqual(['1'])
  })

  test('does not follow a repository that redirects elsewhere', async () => {
    const [host, repo, other] = [await siteHost(), repository(), repository()]
    const inside = await overHttps(other)
    const { url } = await overHttps(repo, { location: `https://127.0.0.1:${inside.port}/repo.git/info/refs` })
    await expect(host.deployFrom(1, gitOf(url))).rejects.toThrow('redirect that leads elsewhere: set --git-url')
    expect(inside.requests).toEqual([])
  })

  test('follows a redirect on the same host, as without .git, and says so', async () => {
    const [host, repo] = [await siteHost(), repository()]
    repo.commit({ 'index.html': 'x' })
    const { url } = await overHttps(repo, { redirect: ['/shop/', '/repo.git/'] })
    const short = url.replace('repo.git', 'shop')
    await host.deployFrom(1, gitOf(short))
    expect(readFileSync(host.at('index.html'), 'utf8')).toBe('x')
    expect(host.lines).toContain(`${short} is redirected to ${url}, which is fetched: set git_url to it.`)
  })

  test('says what a repository has instead of a branch, a commit or anything', async () => {
    const [host, repo, empty] = [await siteHost(), repository(), repository()]
    const none = await overHttps(empty)
    await expect(host.deployFrom(1, gitOf(none.url))).rejects.toThrow('has no commit: push one to it first.')
    repo.commit({ 'index.html': 'x' })
    repo.git('tag', 'v1')
    repo.commit({ 'index.html': 'y' })
    const { url } = await overHttps(repo)
    await expect(host.deployFrom(2, gitOf(url, { ref: 'master' }))).rejects.toThrow(
      'branch master not found; the repository has branch main and tag v1.',
    )
    await expect(host.deployFrom(3, gitOf(url, { ref: 'a'.repeat(40) }))).rejects.toThrow(
      /^commit a+ not found; the repository has branch main/,
    )
    const gone = url.replace('repo.git', 'none.git')
    await expect(host.deployFrom(4, gitOf(gone))).rejects.toThrow(`repository not found at ${gone}`)
    expect(host.releases()).toEqual([])
  })

  test('fetches from the address that was validated, whatever its name resolves to later', async () => {
    const [host, repo] = [await siteHost(), repository()]
    const { url, requests } = await overHttps(repo)
    repo.commit({ 'index.html': 'x' })
    await expect(host.deployFrom(1, gitOf(url, { address: '127.0.0.77' }))).rejects.toThrow('cannot be reached')
    expect(requests).toEqual([])
  })

  test('fetches without submodules, large files and hooks, with warnings', async () => {
    const [host, repo] = [await siteHost(), repository()]
    const { url } = await overHttps(repo)
    repo.commit({
      'index.html': 'x',
      '.gitmodules':
        '[submodule "a"]\n\tpath = a\n\turl = ../../secret.git\n[submodule "b"]\n\tpath = b\n\turl = file:///etc\n',
      '.gitattributes': '*.bin filter=lfs\n',
      'a.bin': 'version https://git-lfs.github.com/spec/v1\n',
    })
    const { made } = await host.deployFrom(1, gitOf(url))
    expect(made.warnings).toEqual([
      'Submodules are not fetched.',
      'Files in Git LFS are not fetched: what is there names them.',
    ])
    expect(host.lines).toContain('warning: Submodules are not fetched.')
  })

  test.each([
    ['a link out of it', { evil: '../../../../../../etc/passwd' }],
    ['a link to an absolute path', { evil: '/etc' }],
    ['a link out of it by way of another', { deep: '.', evil: 'deep/../../x' }],
  ])('refuses a repository with %s, and leaves nothing of it', async (_, links) => {
    const [host, repo] = [await siteHost(), repository()]
    const { url } = await overHttps(repo)
    repo.commit({ 'index.html': 'x' }, links)
    await expect(host.deployFrom(1, gitOf(url))).rejects.toThrow(
      'The source was refused: it contains a link that leads out of it: evil.',
    )
    expect(host.releases()).toEqual([])
  })

  test('stops a repository larger than the quota, and leaves nothing of it', async () => {
    const [host, repo] = [await siteHost(), repository()]
    const { url } = await overHttps(repo)
    repo.commit({ 'index.html': 'x'.repeat(3_000_000) })
    await expect(host.deployFrom(1, gitOf(url), { room: 1_000_000 })).rejects.toThrow(
      'The release does not fit in the disk quota of the account.',
    )
    expect(host.releases()).toEqual([])
  })
})

describe.skipIf(sshd === undefined)('repository over ssh', { timeout: 60_000 }, () => {
  test('fetches with the deploy key; the host key is trusted on first use, then pinned', async () => {
    const [host, repo] = [await siteHost(), repository()]
    const commit = repo.commit({ 'index.html': 'over ssh' })
    const { url, deployKey, hostKey } = await overSsh(repo)
    const { made } = await host.deployFrom(1, gitOf(url, { deployKey }))
    expect(made).toMatchObject({ commit, hostKey })
    await host.deployFrom(2, gitOf(url, { deployKey, hostKey }))
    const other = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0vdQ3FQmVbZIYGYkPZ0bCQpJ7rZ2n3PfYyo3Hq3o0D'
    await expect(host.deployFrom(3, gitOf(url, { deployKey, hostKey: other }))).rejects.toThrow(
      'The host of the repository did not show the host key that is pinned: set host_key to null to accept the new one.',
    )
    await expect(host.deployFrom(4, gitOf(url))).rejects.toThrow('refuses the deploy key: add the deploy_key')
    const missing = url.replace('repo.git', 'none.git')
    await expect(host.deployFrom(5, gitOf(missing, { deployKey }))).rejects.toThrow(
      `repository not found at ${missing}`,
    )
    await expect(host.deployFrom(6, gitOf(url, { deployKey, ref: 'master' }))).rejects.toThrow(
      'branch master not found; the repository has branch main.',
    )
    expect(host.releases()).toEqual(['1', '2'])
    expect(readFileSync(host.at('index.html'), 'utf8')).toBe('over ssh')
  })
})

describe('address of a repository', () => {
  test.each([
    ['https://git.example/a/b.git', { scheme: 'https', host: 'git.example', port: 443 }],
    ['https://Git.example:8443/a', { scheme: 'https', host: 'git.example', port: 8443 }],
    ['https://[2001:db8::1]/a', { scheme: 'https', host: '2001:db8::1', port: 443 }],
    ['ssh://git.example/a', { scheme: 'ssh', host: 'git.example', port: 22 }],
    ['ssh://git@git.example:2222/a', { scheme: 'ssh', host: 'git.example', port: 2222, user: 'git' }],
    ['git@git.example:a/b.git', { scheme: 'ssh', host: 'git.example', port: 22, user: 'git' }],
    ['git@git.example:/srv/b.git', { scheme: 'ssh', host: 'git.example', port: 22, user: 'git' }],
  ])('parses %s', (url, found) => {
    expect(readGitUrl(url)).toEqual(found)
  })

  test.each([
    ['file:///etc', '/etc', 'ext::sh -c id', 'http://h/x', 'git://h/x', '--upload-pack=touch /tmp/p', ''],
    ['ssh://-oProxyCommand=x/y', '-oX=y:z', 'u@-oX:z', 'ssh://u@-oX/y', '-u@h.example:z', 'git@h.example:-x'],
    ['https://u:p@h.example/x', 'https://u@h.example/x', 'https://h.example/a b', 'https://h.example/a\nb'],
    [
      'https://h.example/a\\b',
      'https://h.example/a::b',
      'https://h.example',
      'https://h.example:70000/x',
      'h.example:x',
    ],
    ['ssh://h.example/a%2d', 'git@h.example:a%2d', `https://h.example/${'x'.repeat(2048)}`, 'https://-h/x'],
  ])('refuses an ambiguous address: %s %s %s %s', (...urls) => {
    expect(urls.map(readGitUrl).filter(Boolean)).toEqual([])
  })
})
