import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { deleteUser, syncUser, userDifferences } from '../../src/host/debian/users.ts'
import { account, tempDir } from '../host/helpers.ts'
import { has } from '../setup/context.ts'

const bob = account()
const { username, uid, shell } = bob
const line = (over: { name?: string; uid?: number; gid?: number; home?: string; shell?: string } = {}): string =>
  [
    over.name ?? username,
    'x',
    over.uid ?? uid,
    over.gid ?? uid,
    '',
    over.home ?? `/home/${username}`,
    over.shell ?? shell,
  ].join(':')
const shadow = (password = '!', expiry = '') => `${username}:${password}:19000:0:99999:7::${expiry}:\n`
const groups = `sudo:x:27:\npanel-ssh:x:990:ann,${username}\n${username}:x:${uid}:\n`

interface UsersRow {
  readonly passwd?: string
  readonly shadow?: string
  readonly group?: string
}

function found({ passwd = line(), shadow: passwords = shadow(), group = groups }: UsersRow, state = bob) {
  const root = `${tempDir()}/`
  has(root, 'etc/passwd', `root:x:0:0:root:/root:/bin/bash\n${passwd}\n`)
  has(root, 'etc/shadow', passwords)
  has(root, 'etc/group', group)
  return userDifferences(state, root).map(({ path, change, note }) => `${path} ${change}: ${note}`)
}

describe('system user of an account', () => {
  test('finds nothing wrong with a correct user, active or suspended', () => {
    expect(found({})).toEqual([])
    expect(found({ shadow: shadow('!', '1') }, { ...bob, suspended: true })).toEqual([])
  })

  test('reports a user that is missing, or is another one', () => {
    expect(found({ passwd: 'ann:x:1:1::/:/bin/sh' })).toEqual([`/etc/passwd missing: there is no user ${username}`])
    expect(found({ passwd: line({ uid: 1000 }) })).toEqual([
      `/etc/passwd fault: ${username} has the uid 1000, should be ${uid}`,
    ])
  })

  test('reports a user with a different home, shell or group', () => {
    expect(found({ passwd: line({ home: '/root', shell: '/bin/zsh', gid: 42 }) })).toEqual([
      `/etc/passwd changed: ${username} has the home /root, should be /home/${username}`,
      `/etc/passwd changed: ${username} has the shell /bin/zsh, should be ${shell}`,
      `/etc/passwd changed: ${username} has the group 42, should be ${uid}`,
    ])
  })

  test.each(['$y$j9T$x', ''])('reports a user that has the password %j', (password) => {
    expect(found({ shadow: shadow(password) })).toEqual([
      `/etc/shadow changed: ${username} has a password of the system's`,
    ])
  })

  test('reports a user that can log in while suspended, or cannot while active', () => {
    expect(found({}, { ...bob, suspended: true })).toEqual([
      `/etc/shadow changed: ${username} is suspended and has not expired`,
    ])
    expect(found({ shadow: shadow('!', '1') })).toEqual([`/etc/shadow changed: ${username} has expired`])
  })

  test('reports a user in wrong groups, and not in the right one', () => {
    const own = `${username}:x:${uid}:\n`
    const group = `sudo:x:27:ann,${username}\npanel-ssh:x:990:ann\n${own}`
    expect(found({ group })).toEqual([
      `/etc/group surplus: ${username} is in the group sudo`,
      `/etc/group missing: ${username} is not in the group panel-ssh`,
    ])
    expect(found({ group: `sudo:x:27:\n${own}` })).toEqual([])
  })

  test('reports a user without its own group', () => {
    expect(found({ group: `panel-ssh:x:990:${username}\nformer:x:${uid}:\n` })).toEqual([
      `/etc/group missing: there is no group ${username}`,
    ])
  })

  test('reports a user that has subordinate ids', () => {
    const root = `${tempDir()}/`
    has(root, 'etc/passwd', `${line()}\n`)
    has(root, 'etc/shadow', shadow())
    has(root, 'etc/group', groups)
    has(root, 'etc/subuid', `ann:100000:65536\n${username}:165536:65536\n`)
    expect(userDifferences(bob, root)).toEqual([
      { path: '/etc/subuid', change: 'surplus', note: `${username} has the ids 165536-231071` },
    ])
  })

  test('reports a user that has a second name', () => {
    expect(found({ passwd: `${line()}\n${line({ name: 'toor' })}` })).toEqual([
      `/etc/passwd surplus: toor has the uid of ${username}: take one away by hand`,
    ])
  })
})

/** The commands that correct or delete a machine's user; none of them does anything. */
async function ran(act: typeof syncUser | typeof deleteUser, passwd: string, group: string): Promise<string[]> {
  const root = `${tempDir()}/`
  has(root, 'etc/passwd', `${passwd}\n`)
  has(root, 'etc/shadow', shadow())
  has(root, 'etc/group', `panel-ssh:x:990:${username}\n${group}\n`)
  const commands: string[] = []
  const run: Run = async (program, words) => {
    commands.push([program, ...words].join(' '))
    return ''
  }
  await act(run, bob, root)
  return commands
}

describe('crash during a change of the system user', () => {
  const own = `${username}:x:${uid}:`

  test('creates the missing group of a user after a crash during its creation', async () => {
    expect(await ran(syncUser, line(), own)).toEqual([])
    expect(await ran(syncUser, line(), '')).toEqual([`/usr/sbin/groupadd -g ${uid} ${username}`])
  })

  test('renames the group of a user after a crash while it was renamed', async () => {
    expect(await ran(syncUser, line(), `former:x:${uid}:`)).toEqual([`/usr/sbin/groupmod -n ${username} former`])
  })

  test('deletes the group of a user after a crash while it was deleted, and no other', async () => {
    expect(await ran(deleteUser, '', own)).toEqual([`/usr/sbin/groupdel ${username}`])
    expect(await ran(deleteUser, '', `${username}:x:${uid + 1}:`)).toEqual([])
    expect(await ran(deleteUser, '', `other:x:${uid}:`)).toEqual([])
  })
})
