import { describe, expect, test } from 'vitest'
import { cgroupVersion, quotaKind, unenforced } from '../../src/host/debian/inspect/limits.ts'
import { inspectServices } from '../../src/host/debian/inspect/services.ts'
import { tempDir } from '../host/helpers.ts'
import { facts, has } from './context.ts'

const rootMount = '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n'

function machine(mounts: string, cgroup: Record<string, string>): string {
  const root = tempDir()
  has(root, 'proc/self/mountinfo', mounts)
  for (const [file, content] of Object.entries(cgroup)) has(root, `sys/fs/cgroup/${file}`, content)
  return `${root}/`
}

const second = { 'cgroup.controllers': 'cpuset cpu io memory hugetlb pids\n' }
const first = { 'cpu/x': '', 'memory/x': '', 'pids/x': '' }
const kinds = (root: string) => unenforced(root).map(({ kind }) => kind)

describe('limits that a machine cannot enforce', () => {
  test('reports no such limits with cgroup v2 and quotas', () => {
    const root = machine(rootMount.replace('errors=', 'usrquota,errors='), second)
    expect([cgroupVersion(root), quotaKind(root), kinds(root)]).toEqual([2, 'ext4', []])
  })

  test('reports disk and inodes if nothing is mounted with quotas', () => {
    const root = machine(rootMount, second)
    expect([quotaKind(root), kinds(root)]).toEqual(['none', ['disk', 'inodes']])
  })

  test('reports limits without a controller in the kernel', () => {
    const root = machine(rootMount.replace('errors=', 'usrquota,errors='), { 'cgroup.controllers': 'cpu memory\n' })
    expect(unenforced(root)).toEqual([
      { kind: 'tasks', reason: 'The kernel has no pids controller for control groups.' },
      { kind: 'io', reason: 'The kernel has no io controller for control groups.' },
    ])
  })

  test('reports buffered writes with cgroup v1', () => {
    const home = '23 22 8:2 / /home rw shared:2 - xfs /dev/sda2 rw,attr2,usrquota\n'
    const root = machine(rootMount + home, first)
    expect([cgroupVersion(root), quotaKind(root), kinds(root)]).toEqual([1, 'xfs', ['io']])
  })

  test('reports the number of files on btrfs with quota groups', () => {
    const root = machine('22 1 0:1 / / rw - btrfs /dev/sda1 rw\n', second)
    expect(quotaKind(root)).toBe('none')
    has(root, 'sys/fs/btrfs/0d2c/qgroups/x')
    expect([quotaKind(root), kinds(root)]).toEqual(['btrfs', ['inodes']])
  })

  test('reports disk on btrfs without quota groups next to one that has them', () => {
    const root = machine('22 1 0:1 / / rw - btrfs /dev/sdx1 rw\n', second)
    has(root, 'sys/fs/btrfs/0d2c/qgroups/x')
    has(root, 'sys/fs/btrfs/0d2c/devices/sdx2/x')
    has(root, 'sys/fs/btrfs/1e3d/devices/sdx1/x')
    expect([quotaKind(root), kinds(root)]).toEqual(['none', ['disk', 'inodes']])
  })
})

test('services that are not installed are left out', async () => {
  const units = 'Id=panel.service\nActiveState=active\n\nId=nginx.service\nActiveState=failed\n'
  const run = async (program: string) =>
    program.includes('dpkg-query') ? 'nginx-light 1.26.3-3\npanel 0.1.0\nphp-fpm 2:8.4+96\n' : units
  expect(await inspectServices(run, facts.suite, tempDir())).toEqual([
    { name: 'server', unit: 'panel.service', state: 'active', version: '0.1.0' },
    { name: 'agent', unit: 'panel-host.service', version: '0.1.0' },
    { name: 'php', unit: 'panel-php-*.socket', state: 'inactive', version: '2:8.4+96' },
    { name: 'nginx', unit: 'nginx.service', state: 'failed', version: '1.26.3-3' },
  ])
})

test('a service that was not chosen is left out though its package is there; one that was, and is away, is not', async () => {
  const names = (load: Record<string, string>) => async (program: string) =>
    program.includes('dpkg-query')
      ? 'nftables 1.1.3-1\n'
      : Object.entries(load)
          .map(([unit, state]) => `Id=${unit}.service\nLoadState=${state}\nActiveState=inactive\n`)
          .join('\n')
  const found = async (firewall: string) =>
    (
      await inspectServices(names({ 'panel-bans': 'not-found', 'panel-firewall': firewall }), facts.suite, tempDir())
    ).flatMap(({ name, state }) => (state ? [`${name} ${state}`] : []))
  expect(await found('not-found')).toEqual(['bans inactive'])
  expect(await found('loaded')).toEqual(['bans inactive', 'firewall inactive'])
})

describe('PHP, with a unit per account', () => {
  const wants = 'etc/systemd/system/sockets.target.wants'
  const requests: string[][] = []

  async function php(states: Record<string, string>) {
    const root = tempDir()
    for (const name of [...Object.keys(states), 'cron']) has(root, `${wants}/${name}.socket`)
    const run = async (program: string, words: readonly string[]) => {
      if (program.includes('dpkg-query')) return 'php-fpm 2:8.4+96\n'
      requests.push([...words])
      return Object.entries(states)
        .map(([name, state]) => `Id=${name}.socket\nActiveState=${state}\n`)
        .join('\n')
    }
    return inspectServices(run, facts.suite, root)
  }
  const version = '2:8.4+96'

  test('reports PHP as running if all units run', async () => {
    const visible = { name: 'php', unit: 'panel-php-*.socket', state: 'active', version }
    expect(await php({ 'panel-php-8.4-a-ann': 'active', 'panel-php-8.4-a-bob': 'reloading' })).toEqual([visible])
    expect(requests.at(-1)).toEqual(
      expect.arrayContaining(['panel-php-8.4-a-ann.socket', 'panel-php-8.4-a-bob.socket']),
    )
    expect(requests.at(-1)).not.toContain('cron.socket')
  })

  test('represents PHP by the first unit that does not run', async () => {
    expect(
      await php({
        'panel-php-8.4-a-ann': 'active',
        'panel-php-8.4-a-bob': 'failed',
        'panel-php-8.4-a-cid': 'inactive',
      }),
    ).toEqual([{ name: 'php', unit: 'panel-php-8.4-a-bob.socket', state: 'failed', version }])
  })
})
