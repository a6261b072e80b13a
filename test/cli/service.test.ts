import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mark, type Service, unitOf } from '../../src/cli/commands/service/unit.ts'
import { bin, inProcess, type Result } from './run.ts'
import { scratchFolder } from './server.ts'

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

const service = (more: Partial<Service> = {}): Service => ({
  command: [process.execPath, bin, 'serve', '--data-dir', '/var/lib/panel'],
  dataDir: '/var/lib/panel',
  system: true,
  lowPort: false,
  ...more,
})

describe('systemd unit', () => {
  test('writes a plain unit for the default directory', () => {
    const text = unitOf(service())
    expect(text).toContain('StateDirectory=panel\n')
    expect(text).toContain('CapabilityBoundingSet=\n')
    expect(text).not.toContain('ReadWritePaths')
  })

  test('lets the server write its data directory, and see its parents', () => {
    const text = unitOf(service({ dataDir: '/home/me/panel' }))
    expect(text).toContain('ReadWritePaths=/home/me/panel\n')
    expect(text).toContain('ProtectHome=read-only\n')
    expect(text).not.toContain('StateDirectory')
  })

  test('escapes words so that systemd leaves them as they are', () => {
    const odd = ['/usr/bin/node', 'a b', '100%', '$HOME', 'say "x"\\']
    const line = unitOf(service({ command: odd }))
      .split('\n')
      .find((one) => one.startsWith('ExecStart='))
    expect(line).toBe('ExecStart=/usr/bin/node "a b" 100%% $$HOME "say \\"x\\"\\\\"')
  })

  test.runIf(hasSystemd).each<[string, Service]>([
    ['of the machine', service()],
    ['of the machine with data elsewhere', service({ dataDir: '/srv/my panel', lowPort: true })],
    ['of a user', service({ system: false, dataDir: '/home/me/.local/share/panel' })],
  ])("passes systemd's verification: %s", (_which, of) => {
    const file = join(scratchFolder(), 'panel.service')
    writeFileSync(file, unitOf(of))
    const scope = of.system ? [] : ['--user']
    const env = { ...process.env, XDG_RUNTIME_DIR: dirname(file) }
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...scope, 'verify', '--man=no', file], {
      encoding: 'utf8',
      env,
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test.runIf(hasSystemd)('gives the server few privileges', () => {
    const file = join(scratchFolder(), 'panel.service')
    writeFileSync(file, unitOf(service()))
    const words = ['security', '--offline=yes', '--threshold=25', file]
    expect(spawnSync('systemd-analyze', words, { encoding: 'utf8' }).status).toBe(0)
  })
})

describe('user who sets up the service', () => {
  const home = (): { folder: string; file: string; link: string } => {
    const folder = scratchFolder()
    const units = join(folder, 'systemd/user')
    return { folder, file: join(units, 'panel.service'), link: join(units, 'default.target.wants/panel.service') }
  }

  /** As a user other than root. */
  function service(folder: string, ...words: string[]): Promise<Result> {
    const getuid = process.getuid as () => number
    process.getuid = () => 1000
    onTestFinished(() => {
      process.getuid = getuid
    })
    return inProcess(['service', ...words], { XDG_CONFIG_HOME: folder, PANEL_DATA_DIR: '/home/me/panel' })
  }

  test('installs a unit, and sees what to type', async () => {
    const { folder, file } = home()
    const { code, stdout, stderr } = await service(
      folder,
      'install',
      '--port',
      '8443',
      '--no-tls',
      '--host',
      '127.0.0.1',
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${file}\n` })
    expect(stderr).toContain('next: systemctl --user daemon-reload && systemctl --user enable --now panel')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(' serve --data-dir /home/me/panel --host 127.0.0.1 --port 8443 --no-tls\n')
    expect(text).toContain('WantedBy=default.target')
  })

  test('can print the unit without installing it', async () => {
    const { folder, file } = home()
    const { stdout } = await service(folder, 'install', '--dry-run')
    expect(stdout.startsWith(mark)).toBe(true)
    expect(existsSync(file)).toBe(false)
  })

  test('keeps a unit that panel did not write, unless told otherwise', async () => {
    const { folder, file } = home()
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '[Unit]\n')
    for (const words of [['install'], ['uninstall']]) {
      const { code, stderr } = await service(folder, ...words)
      expect(code).toBe(5)
      expect(stderr).toContain('not written by panel')
    }
    expect(readFileSync(file, 'utf8')).toBe('[Unit]\n')
    expect((await service(folder, 'install', '--yes')).code).toBe(0)
  })

  test('removes the unit again, with what starts it', async () => {
    const { folder, file, link } = home()
    await service(folder, 'install')
    mkdirSync(dirname(link))
    symlinkSync(file, link)
    const { code, stderr } = await service(folder, 'uninstall')
    expect(code).toBe(0)
    expect(stderr).toContain('systemctl --user daemon-reload')
    expect([existsSync(file), existsSync(link)]).toEqual([false, false])
    expect((await service(folder, 'uninstall')).code).toBe(3)
  })

  test('sees an invalid port before anything is written', async () => {
    const { folder, file } = home()
    expect((await service(folder, 'install', '--port', 'http')).code).toBe(2)
    expect(existsSync(file)).toBe(false)
  })
})
