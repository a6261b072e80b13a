import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { Ftp } from '../../src/host/debian/ftp/ftp.ts'
import { ftpLogins } from '../../src/host/debian/ftp/logins.ts'
import { ftpFolder, scoreboard } from '../../src/host/debian/ftp/places.ts'
import { PendingReloads } from '../../src/host/debian/pending-reloads.ts'
import { Reloads } from '../../src/host/debian/reloads.ts'
import { account, nameOf, tempDir } from '../host/helpers.ts'

const folder = 'etc/panel/ftp/passwd.d'
const line = (login: string, home: string, hash = '$6$x') => `${login}:${hash}:20001:20001::${home}:/bin/false\n`

const noSessions: Run = async () => '{"connections": []}'

function bench(run: Run = noSessions) {
  const root = tempDir()
  mkdirSync(join(root, folder), { recursive: true })
  const ftp = new Ftp(run, root)
  const reloads = new Reloads(ftp.reloads(), new PendingReloads(join(root, 'owed')))
  const put = (name: string, text?: string) => {
    const path = `${folder}/${name}`
    if (text === undefined) rmSync(join(root, path))
    else writeFileSync(join(root, path), text)
    return [path, ...ftp.changed([path], false)]
  }
  const read = (name: string) => readFileSync(join(root, 'etc/panel/ftp', name), 'utf8')
  return { root, ftp, reloads, put, read }
}

test('logins of all accounts are in one file; over SFTP each is confined to its home', async () => {
  const { root, reloads, put, read } = bench()
  await reloads.settle(
    put('bob', line('bob', '/home/bob') + line('web@bob.example', '/home/bob/sites/bob.example/public')),
  )
  await reloads.settle(put('ann', line('all@ann.example', '/home/ann')))
  expect(read('passwd')).toBe(
    line('all@ann.example', '/home/ann') +
      line('bob', '/home/bob') +
      line('web@bob.example', '/home/bob/sites/bob.example/public'),
  )
  expect(read('sftp-passwd')).toBe(
    line('all@ann.example', '/home/ann') + line('bob', '/home/bob') + line('web@bob.example', '/home/bob'),
  )
  expect(statSync(join(root, 'etc/panel/ftp/passwd')).mode & 0o777).toBe(0o600)
  await reloads.settle(put('bob'))
  expect(read('sftp-passwd')).toBe(line('all@ann.example', '/home/ann'))
})

test('drift in the list is attributed to its accounts, and repaired', async () => {
  const { root, ftp, reloads, put, read } = bench()
  await reloads.settle(put('bob', line('bob', '/home/bob')))
  const bob = nameOf(account())
  expect([ftp.differences(bob), ftp.changed([], true)]).toEqual([[], []])
  writeFileSync(join(root, 'etc/panel/ftp/sftp-passwd'), '')
  expect(ftp.differences(bob)).toEqual([
    { path: '/etc/panel/ftp/sftp-passwd', change: 'changed', note: 'the logins of bob are not in it' },
  ])
  await reloads.settle(ftp.changed([], true))
  expect(read('sftp-passwd')).toBe(line('bob', '/home/bob'))
})

test('a line that belongs to no login is shown, and so is a list that others can read', async () => {
  const { root, ftp, reloads, put, read } = bench()
  await reloads.settle(put('bob', line('bob', '/home/bob')))
  const path = join(root, 'etc/panel/ftp/passwd')
  expect(ftp.serverDifferences()).toEqual([])
  for (const change of [() => appendFileSync(path, line('evil', '/')), () => chmodSync(path, 0o644)]) {
    change()
    expect(ftp.serverDifferences().map((one) => [one.path, one.change])).toEqual([['/etc/panel/ftp/passwd', 'changed']])
    await reloads.settle(ftp.changed([], true))
    expect([read('passwd'), ftp.serverDifferences()]).toEqual([line('bob', '/home/bob'), []])
  }
})

test('sessions of a login end when its password changes, and no others', async () => {
  const root = tempDir()
  mkdirSync(join(root, folder), { recursive: true })
  mkdirSync(join(root, ftpFolder), { recursive: true })
  writeFileSync(join(root, scoreboard), '')
  const ended: number[] = []
  const long = 'web@a-name-of-more-letters-than-the-list-has-room-for.example'
  const open = [
    { pid: 4001, user: 'web@bob.example' },
    { pid: 4002, user: 'all@bob.example' },
    { pid: 4003 },
    { pid: 1, user: 'web@bob.example' },
    { pid: 4004, user: 'web@bob.example' },
    { pid: 4005, user: 'web@bob.example' },
    { pid: 4006, user: long.slice(0, 31) },
    { pid: 4007, user: long.slice(0, 31) },
  ]
  const titles: Record<number, { login?: string }> = {
    4001: { login: 'web@bob.example' },
    4002: { login: 'all@bob.example' },
    4004: { login: 'taken@ann.example' },
    4006: { login: long },
    4007: { login: `${long}.org` },
  }
  const run: Run = async () => `{"server": {}, "connections": ${JSON.stringify(open)}}\n`
  const logins = ftpLogins(run, root, { title: (pid) => titles[pid], end: async (pid) => void ended.push(pid) })
  const reloads = new Reloads([logins.reload()], new PendingReloads(join(root, 'owed')))
  const set = async (text: string) => {
    const path = `${folder}/bob`
    writeFileSync(join(root, path), text)
    logins.changed([path])
    await reloads.settle([path])
  }
  const all = line('all@bob.example', '/home/bob')
  await set(line('web@bob.example', '/home/bob') + all)
  expect(ended).toEqual([])
  await set(line('web@bob.example', '/home/bob', '$6$y') + line(long, '/home/bob') + all)
  expect(ended).toEqual([4001])
  await set(line('web@bob.example', '/home/bob', '$6$y') + all)
  expect(ended).toEqual([4001, 4006])
})

test('only root can read the transfer log', () => {
  const { root, ftp } = bench()
  ftp.openLog()
  expect(existsSync(join(root, 'var'))).toBe(false)
  mkdirSync(join(root, 'var/log/panel'), { recursive: true })
  writeFileSync(join(root, 'var/log/panel/ftp.log'), 'one\n', { mode: 0o644 })
  ftp.openLog()
  expect(readFileSync(join(root, 'var/log/panel/ftp.log'), 'utf8')).toBe('one\n')
  expect(statSync(join(root, 'var/log/panel/ftp.log')).mode & 0o777).toBe(0o600)
  rmSync(join(root, 'var/log/panel/ftp.log'))
  ftp.openLog()
  expect(statSync(join(root, 'var/log/panel/ftp.log')).mode & 0o777).toBe(0o600)
})

test('nothing is written if FTP was never set up', async () => {
  const root = tempDir()
  const ftp = new Ftp(noSessions, root)
  expect(ftp.changed([], true)).toEqual([])
  await new Reloads(ftp.reloads(), new PendingReloads(join(root, 'owed'))).settle([`${folder}/x`])
  expect(existsSync(join(root, 'etc'))).toBe(false)
})
