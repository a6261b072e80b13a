import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ended, ensureServerBuilt, environment, root } from '../cli/run.ts'
import { ask, scratchFolder } from '../cli/server.ts'

const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0

const below = (folder: string, script: string) => script.replace(/(?<= )(?=\/(?:var|etc)\/)/g, folder)

/** Runs the script on a separate data directory: everything is removed except homes and backups. */
function purges(postrm: string): void {
  const scratch = scratchFolder()
  const dataDir = join(scratch, 'var/lib/panel')
  const run = (...words: string[]) =>
    spawnSync('sh', ['-c', below(scratch, postrm), 'postrm', ...words], { encoding: 'utf8' })
  const fill = (...paths: string[]) => {
    for (const path of paths) {
      mkdirSync(join(dataDir, path, '..'), { recursive: true })
      writeFileSync(join(dataDir, path), 'x')
    }
  }
  const left = () => (existsSync(dataDir) ? readdirSync(dataDir).sort() : [])
  fill('secret.key', 'panel.db', 'tls/key.pem', 'host/etc/zone', 'host/home/alice/index.html', 'backups/one')
  fill('../panel-host/manifest/one', '../panel-host/backups/two', '../../../etc/default/panel')
  expect([run('remove').status, left()]).toEqual([0, ['backups', 'host', 'panel.db', 'secret.key', 'tls']])
  const stored = run('purge')
  expect([stored.status, stored.stdout]).toEqual([
    0,
    `panel: homes and backups stay in ${dataDir}\npanel: homes and backups stay in ${dataDir}-host\n`,
  ])
  expect([readdirSync(`${dataDir}-host`), existsSync(join(scratch, 'etc/default/panel'))]).toEqual([['backups'], false])
  expect([left(), existsSync(join(dataDir, 'host/home/alice/index.html'))]).toEqual([['backups', 'host'], true])
  for (const folder of [dataDir, `${dataDir}-host`]) rmSync(join(folder, 'backups'), { recursive: true })
  rmSync(join(dataDir, 'host/home/alice'), { recursive: true })
  const gone = run('purge')
  expect([gone.status, gone.stdout, existsSync(dataDir)]).toEqual([0, '', false])
}

describe.runIf(hasDpkg)('Debian package', () => {
  beforeAll(ensureServerBuilt)

  test('contains a program that runs where it is installed', { timeout: 60_000 }, async () => {
    const [out, scratch, dataDir] = [scratchFolder(), scratchFolder(), scratchFolder()]
    const words = [join(root, 'packaging/deb.mjs'), '--system-node', '--out', out]
    const file = execFileSync(process.execPath, words, { encoding: 'utf8' }).trim()
    expect(spawnSync('sha256sum', ['--check', '--status', `${file}.sha256`], { cwd: out }).status).toBe(0)
    execFileSync('dpkg-deb', ['--extract', file, scratch])
    const at = (path: string): string => join(scratch, path)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(execFileSync('dpkg-deb', ['--field', file, 'Version'], { encoding: 'utf8' })).toBe(`${version}\n`)

    const options = { env: environment({ PANEL_DATA_DIR: dataDir }) }
    const serve = ['serve', '--host', '127.0.0.1', '--hostname', 'localhost', '--port', '0', '--log-level', 'silent']
    const server = spawn(process.execPath, [at('usr/bin/panel'), ...serve], options)
    onTestFinished(() => void server.kill('SIGKILL'))
    await new Promise((resolve) => server.stdout.once('data', resolve))
    expect((await ask(join(dataDir, 'panel.sock'), 'GET', '/healthz')).status).toBe(200)
    const list = await ended(spawn(process.execPath, [at('usr/bin/panel'), 'packages', 'list', '-o', 'name'], options))
    expect(list).toEqual({ code: 0, stdout: 'default\n', stderr: '' })

    for (const path of [
      'usr/share/bash-completion/completions/panel',
      'usr/share/zsh/vendor-completions/_panel',
      'usr/share/fish/vendor_completions.d/panel.fish',
      'usr/share/man/man1/panel.1.gz',
      'usr/share/man/man7/panel-contract.7.gz',
      'usr/share/man/man8/panel-serve.8.gz',
    ])
      expect(existsSync(at(path)), path).toBe(true)
    const unit = readFileSync(at('usr/lib/systemd/system/panel.service'), 'utf8')
    expect(unit).toContain('\nExecStart=/usr/bin/panel serve --data-dir /var/lib/panel --hostname ${PANEL_HOSTNAME} ')
    expect(unit).not.toContain(root)
    expect(readFileSync(at('usr/lib/panel/bin/panel.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/node\n/)
    for (const name of ['esbuild', 'vitest', 'prebuild-install', 'better-sqlite3/deps'])
      expect(existsSync(at(`usr/lib/panel/node_modules/${name}`)), name).toBe(false)
    expect(readdirSync(scratch)).toEqual(['usr'])
    const control = scratchFolder()
    execFileSync('dpkg-deb', ['--control', file, control])
    purges(readFileSync(join(control, 'postrm'), 'utf8'))
  })
})

test('an upgrade restarts what runs on this machine, a server or a node', () => {
  const scratch = scratchFolder()
  const received = join(scratch, 'told')
  for (const name of ['systemctl', 'getent', 'install'])
    writeFileSync(join(scratch, name), `#!/bin/sh\necho ${name} "$@" >> ${received}\n`, { mode: 0o755 })
  const script = readFileSync(join(root, 'packaging/scripts/postinst'), 'utf8')
  const env = { PATH: `${scratch}:${process.env['PATH']}` }
  const words = ['-c', script.replaceAll('/run/systemd/system', scratch), 'postinst', 'configure', '0.1.0']
  expect(spawnSync('sh', words, { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  const restarted = readFileSync(received, 'utf8').match(/(?<=try-restart ).*/g)
  expect(restarted).toEqual(['panel-host.service', 'panel.service', 'panel-node.service'])
})
