import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { conditionOf } from '../../src/host/debian/inspect/condition.ts'
import { DiskReports } from '../../src/host/debian/inspect/disk-reports.ts'
import { rebootReason } from '../../src/host/debian/inspect/reboot.ts'
import { tempDir } from '../host/helpers.ts'
import { facts } from './context.ts'

const put = (root: string, path: string, text = '') => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const mounts = `22 1 8:1 / / rw - ext4 /dev/sda1 rw
23 22 8:1 /srv /srv/again rw - ext4 /dev/sda1 rw
24 22 0:5 / /proc rw - proc proc rw
25 22 0:40 / /net rw - nfs4 far:/x rw
26 22 8:2 / /my\\040home rw shared:7 - xfs /dev/sda2 rw
27 22 8:3 / /gone rw - ext4 /dev/sda3 rw
`

function machine() {
  const root = tempDir()
  put(root, 'proc/loadavg', '0.10 0.50 4.25 2/300 1234\n')
  put(root, 'proc/meminfo', 'MemTotal:        4096000 kB\nMemFree:  1 kB\nMemAvailable:    1024000 kB\n')
  put(root, 'proc/self/mountinfo', mounts)
  mkdirSync(join(root, 'my home'))
  const programs: Record<string, string> = {
    '/usr/bin/dpkg-query': 'nginx-light 1.26.3-3\npanel 0.1.0\nphp-fpm 2:8.4+96\n',
    '/usr/bin/systemctl': 'Id=panel.service\nActiveState=active\n\nId=nginx.service\nActiveState=failed\n',
    '/usr/bin/chronyc': 'C0A80001,192.168.0.1,3,1768000000.1,-2.500400,0.1,0.1,0,0,0,0,0,0,Normal\n',
  }
  const run = async (program: string) => programs[program] ?? ''
  const look = () =>
    conditionOf({ run, suite: facts.suite, disks: new DiskReports(run), queue: 'var/spool/postfix', root })
  return { root, look }
}

test('a machine says its load, memory, disks and services', async () => {
  const { look } = machine()
  const found = await look()
  expect(found).toMatchObject({
    ...{ load: 425, memoryMb: 4000, availableMb: 1000, failingDisks: [] },
    stopped: [{ name: 'nginx', unit: 'nginx.service', state: 'failed' }],
  })
  expect(found.fileSystems.map(({ path }) => path)).toEqual(['/', '/my home'])
  for (const { usedMb, totalMb } of found.fileSystems) expect(usedMb).toBeLessThanOrEqual(totalMb)
  expect(Object.keys(found)).not.toEqual(expect.arrayContaining(['queuedMail']))
})

test('it names the accounts whose databases can only be read', async () => {
  const { root, look } = machine()
  expect((await look()).readOnlyDatabases).toEqual([])
  put(root, 'var/lib/panel-host/full-databases.json', '["alice","bob"]')
  expect((await look()).readOnlyDatabases).toEqual(['alice', 'bob'])
})

test('with a mail server and chrony it says the queue and the clock', async () => {
  const { root, look } = machine()
  for (const name of ['deferred/A/1', 'deferred/B/2', 'active/3', 'hold/.keep']) put(root, `var/spool/postfix/${name}`)
  put(root, 'usr/bin/chronyc')
  expect(await look()).toMatchObject({ queuedMail: 4, deferredMail: 2, clockOffsetMs: 2500 })
})

test.each([
  [['vmlinuz-6.12.9-amd64', 'vmlinuz-6.12.48-amd64', 'vmlinuz-6.13.1-cloud-amd64'], '6.12.48-amd64', undefined],
  [
    ['vmlinuz-6.1.0-9-amd64', 'vmlinuz-6.1.0-40-amd64'],
    '6.1.0-9-amd64',
    'Linux 6.1.0-40-amd64 is installed, and 6.1.0-9-amd64 still runs.',
  ],
  [
    ['vmlinuz-6.12.9+deb13-amd64', 'vmlinuz-6.12.48+deb13-amd64', 'vmlinuz-6.99.1+deb13-rt-amd64'],
    '6.12.9+deb13-amd64',
    'Linux 6.12.48+deb13-amd64 is installed, and 6.12.9+deb13-amd64 still runs.',
  ],
  [['vmlinuz-6.12.48-amd64'], '5.4.0-host', undefined],
  [[], '6.12.48-amd64', undefined],
])('of the kernels %j, %s asks for a restart: %s', (names, running, reason) => {
  const root = tempDir()
  for (const name of names) put(root, `boot/${name}`)
  expect(rebootReason(root, running)).toBe(reason)
})

test('packages ask for a restart by a file', () => {
  const root = tempDir()
  put(root, 'run/reboot-required')
  expect(rebootReason(root, '1')).toBe('Installed packages ask for a restart.')
})

test('disks that expect to fail are named; one without a report, and a program that fails, say nothing', async () => {
  const requests: string[] = []
  const answers: Record<string, object> = {
    '--scan': {
      devices: [
        { name: '/dev/sda', type: 'sat' },
        { name: '/dev/sdb', type: 'scsi' },
      ],
    },
    '/dev/sda': { model_name: 'Disk 1', serial_number: 'S1', smart_status: { passed: false } },
    '/dev/sdb': { smartctl: { messages: [] } },
  }
  let now = 0
  const run = async (_: string, words: readonly string[]) => {
    requests.push(words.at(-1)!)
    return JSON.stringify(answers[words.at(-1)!])
  }
  const disks = new DiskReports(run, { now: () => now, program: process.execPath })
  expect(await disks.failing()).toEqual([])
  await expect
    .poll(() => disks.failing())
    .toEqual([{ device: '/dev/sda', reason: 'It expects to fail soon (Disk 1, serial number S1).' }])
  expect(requests).toEqual(['--scan', '/dev/sda', '/dev/sdb'])
  now = 3_600_000
  answers['/dev/sda'] = { smart_status: { passed: true } }
  await disks.failing()
  await expect.poll(() => disks.failing()).toEqual([])
  expect(await new DiskReports(run, { program: '/nowhere' }).failing()).toEqual([])
  expect(requests).toHaveLength(6)
})
