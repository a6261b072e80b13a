import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/host/debian/commands.ts'
import { dateLogins, mailLogins } from '../../../src/host/debian/mail/logins.ts'
import { Maps } from '../../../src/host/debian/mail/maps.ts'
import { PendingReloads } from '../../../src/host/debian/pending-reloads.ts'
import { Reloads } from '../../../src/host/debian/reloads.ts'
import { tempDir } from '../../host/helpers.ts'

function context() {
  const root = tempDir()
  const commands: string[] = []
  const run: Run = async (program, args) => {
    commands.push([program, ...args].join(' ').replaceAll(root, ''))
    const maps = args.flatMap((arg) => /^lmdb:(.*)$/.exec(arg)?.[1] ?? [])
    for (const map of maps) writeFileSync(`${map}.lmdb`, readFileSync(map))
    return ''
  }
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return { root, run, commands, write, read }
}

function bench() {
  const { root, run, commands, write, read } = context()
  for (const folder of ['etc/panel/mail/maps', 'etc/panel/mail/dkim', 'etc/panel/submit'])
    mkdirSync(join(root, folder), { recursive: true })
  const maps = new Maps({ run, groupId: () => process.getgid!(), root })
  const reloads = new Reloads(maps.reloads(), new PendingReloads(join(root, 'owed')))
  const put = (path: string, text: string | undefined) => {
    const full = `etc/panel/mail/${path}`
    if (text === undefined) rmSync(join(root, full))
    else write(full, text)
    maps.changed([full])
    return full
  }
  return { root, commands, read, maps, reloads, put }
}

const map = 'etc/panel/mail/maps/domains'

test('maps are built from the fragments of all accounts, compiled, and activated by one reload', async () => {
  const { commands, read, reloads, put } = bench()
  const changed = [put('domains.d/bob', 'bob.example bob\n'), put('domains.d/ann', 'ann.example ann\n')]
  await reloads.settle(changed)
  expect(read(map)).toBe('ann.example ann\nbob.example bob\n')
  expect(read(`${map}.lmdb`)).toBe(read(map))
  expect(commands.filter((one) => one.endsWith('reload'))).toEqual(['/usr/sbin/postfix reload'])
  commands.length = 0
  await reloads.settle([put('domains.d/bob', undefined), put('senders.d/ann', 'ann@ann.example ann\n')])
  expect(read(map)).toBe('ann.example ann\n')
  expect(commands).toEqual([
    '/usr/sbin/postmap lmdb:/etc/panel/mail/maps/new-domains lmdb:/etc/panel/mail/maps/new-senders',
    '/usr/sbin/postfix reload',
  ])
})

test('files of the signer and of programs reload only their own daemon', async () => {
  const { commands, read, reloads, put } = bench()
  await reloads.settle([put('nosubmit.d/bob', 'bob suspended\n')])
  expect(commands).toEqual([])
  expect(read('etc/panel/submit/nosubmit')).toBe('bob suspended\n')
  await reloads.settle([put('dkimkeys.d/bob', 'k bob.example:k:/key\n')])
  expect(read('etc/panel/mail/dkim/keys')).toBe('k bob.example:k:/key\n')
  expect(commands).toEqual(['/usr/bin/systemctl reload opendkim'])
})

test('drift in a map is attributed to its accounts, and repaired', async () => {
  const { root, maps, reloads, put, read } = bench()
  await reloads.settle([put('domains.d/bob', 'bob.example bob\n')])
  expect(maps.stale('bob')).toEqual([])
  writeFileSync(join(root, map), 'other.example other\n')
  expect([maps.stale('bob'), maps.stale('nothing')]).toEqual([[`/${map}`], []])
  await reloads.settle(maps.pathsOfStale())
  expect(read(map)).toBe('bob.example bob\n')
})

test('nothing is written where mail is left out', async () => {
  const { root, run, commands } = context()
  const maps = new Maps({ run, groupId: () => undefined, root })
  await new Reloads(maps.reloads(), new PendingReloads(join(root, 'owed'))).settle(['etc/panel/mail/dkimkeys.d/bob'])
  expect([commands, existsSync(join(root, 'etc')), maps.pathsOfStale()]).toEqual([[], false, []])
})

test.each([
  ['2.3', '  ssl_cert = </etc/panel/tls/bob.example.crt\n  ssl_key = </etc/panel/tls/bob.example.key\n'],
  [
    '2.4',
    '  ssl_server_cert_file = /etc/panel/tls/bob.example.crt\n  ssl_server_key_file = /etc/panel/tls/bob.example.key\n',
  ],
] as const)('certificates by name are compiled for Postfix and written for Dovecot %s', async (dovecot, pair) => {
  const { root, run, commands, write, read } = context()
  for (const path of ['etc/panel/mail/maps/domains', 'etc/dovecot/dovecot.conf']) write(path, '')
  const maps = new Maps({ run, groupId: () => undefined, root, dovecot })
  const reloads = new Reloads(maps.reloads(), new PendingReloads(join(root, 'owed')))
  const put = (text: string) => {
    const path = 'etc/panel/mail/names.d/bob'
    write(path, text)
    maps.changed([path])
    return reloads.settle([path])
  }
  const row = 'mail.bob.example /etc/panel/tls/bob.example.key /etc/panel/tls/bob.example.crt\n'
  await put(`# ${'a'.repeat(64)}\n${row}`)
  expect(commands).toEqual([
    '/usr/sbin/postmap -F lmdb:/etc/panel/mail/maps/new-names',
    '/usr/sbin/postfix reload',
    '/usr/bin/doveadm reload',
  ])
  const names = 'etc/panel/mail/dovecot-names.conf'
  expect(read(names)).toBe(`local_name mail.bob.example {\n${pair}}\n`)
  const modes = [names, 'etc/panel/mail/maps/names'].map((path) => statSync(join(root, path)).mode & 0o777)
  expect(modes).toEqual([0o600, 0o600])
  commands.length = 0
  await put(`# ${'b'.repeat(64)}\n${row}`)
  expect(commands).toHaveLength(3)
  const stale = ['etc/panel/mail/names.d/_']
  expect(maps.pathsOfStale().filter((path) => stale.includes(path))).toEqual([])
  rmSync(join(root, names))
  expect(maps.pathsOfStale()).toEqual(expect.arrayContaining(stale))
})

const atOnce = async () => {}

function logins(content: string, reread = atOnce) {
  const { root, run, commands, write } = context()
  const path = 'etc/panel/mail/passwd.d/bob.example'
  const pending = () => new PendingReloads(join(root, 'owed'))
  const set = async (text: string, list = mailLogins(run, root, reread)) => {
    write(path, `# panel account x\n${text}`)
    list.changed([path])
    commands.length = 0
    await new Reloads([list.reload()], pending()).settle([path])
    return commands.map((command) => command.replace('/usr/bin/doveadm kick ', ''))
  }
  return { root, run, path, write, commands, set, first: () => set(content), pending }
}

const line = (local: string, hash: string) => `${local}:${hash}:20001:20001::/home/bob::\n`

test('sessions end when a password changes or a mailbox is removed, and no others', async () => {
  const { set, first } = logins(line('a', 'one') + line('b', 'one') + line('c', 'one'))
  expect(await first()).toEqual([])
  expect(await set(line('a', 'two') + line('b', 'one') + line('d', 'new'))).toEqual(['a@bob.example', 'c@bob.example'])
  expect(await set(line('a', 'two') + line('b', 'one') + line('d', 'new'))).toEqual([])
})

test('reports to the owner of mailbox data whose sessions ended and which mailboxes are gone', async () => {
  const { set, run, root } = logins('')
  const heard: unknown[] = []
  const list = mailLogins(run, root, atOnce, async (...received) => void heard.push(received))
  await set(line('a', 'one') + line('b', 'one'), list)
  await set(line('a', '!'), list)
  expect(heard).toEqual([[['a@bob.example', 'b@bob.example'], ['b@bob.example']]])
})

test('sessions of a suspended domain end all at once, even after a crash in between', async () => {
  const many = Array.from({ length: 30 }, (_, n) => line(`m${n}`, 'one')).join('')
  const { first, write, path, run, root, commands, pending } = logins(many)
  await first()
  write(path, many.replaceAll(':one:', ':!:'))
  new Reloads([mailLogins(run, root, atOnce).reload()], pending()).note([path])
  await new Reloads([mailLogins(run, root, atOnce).reload()], pending()).settle([])
  expect(commands).toEqual(['/usr/bin/doveadm kick *@bob.example'])
})

test("sessions end after Dovecot's cache of a domain has expired; a new one is not cached", async () => {
  const steps: string[] = []
  const { set, first, commands } = logins(
    line('a', 'one'),
    async () => void steps.push(`waits, ended ${commands.length}`),
  )
  await first()
  expect(steps).toEqual([])
  await set(line('a', 'two'))
  expect([steps, commands]).toEqual([['waits, ended 0'], ['/usr/bin/doveadm kick a@bob.example']])
})

test('each version of the logins has its own mtime second: Dovecot only compares that and the size', () => {
  const { root, write, path } = logins('')
  const versions = ['one', 'two', 'six'].map((hash) => {
    const staged = `${path}.panel-new`
    write(staged, line('a', hash))
    dateLogins({ path, staged: join(root, staged), file: {} as never }, `${root}/`)
    renameSync(join(root, staged), join(root, path))
    return Math.floor(statSync(join(root, path)).mtimeMs / 1000)
  })
  expect(versions).toEqual([versions[0], versions[0]! + 1, versions[0]! + 2])
})

test('a reload that another call has done waits for nothing', async () => {
  const waits: string[] = []
  const { root, path, set, first, run } = logins(line('a', 'one'), async () => void waits.push('waits'))
  await first()
  const list = mailLogins(run, root, async () => void waits.push('waits'))
  const reloads = new Reloads([list.reload()], new PendingReloads(join(root, 'other')))
  await reloads.settle([path])
  expect(waits).toEqual([])
  reloads.note([path])
  await reloads.settle([path])
  expect(waits).toEqual(['waits'])
  expect(await set(line('a', 'one'))).toEqual([])
})
