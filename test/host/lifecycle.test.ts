import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, apply, bench, changes, idOf, nameOf, server, snapshot, withSerial } from './helpers.ts'

const vhost = 'etc/panel/nginx/sites/bob.example.conf'
const index = 'home/bob/sites/bob.example/public/index.html'

describe('new account', () => {
  test('gets its home, with modes that keep neighbours out', async () => {
    const { driver, mode } = bench()
    await apply(driver, account())
    const modes = {
      home: '711',
      'home/bob': '710',
      'home/bob/tmp': '700',
      'home/bob/mail': '700',
      'home/bob/apps': '755',
      'home/bob/sites/bob.example/public': '755',
      'var/log/panel/bob': '750',
      'etc/panel/nginx/sites': '700',
      [vhost]: '600',
      'etc/bind/panel/zones/bob.example.zone': '644',
      'etc/panel/ftp/passwd.d/bob': '600',
      'etc/panel/mail/passwd.d/bob.example': '640',
    }
    expect(Object.fromEntries(Object.keys(modes).map((path) => [path, mode(path)]))).toEqual(modes)
  })

  test('has files of every part', async () => {
    const { driver } = bench()
    const results = await apply(driver, account())
    const changed = Object.fromEntries(results.areas.map(({ area, changed }) => [area, changed]))
    expect(changed).toEqual({
      users: 5,
      limits: 5,
      php: 4,
      tls: 0,
      web: 4,
      dns: 2,
      mail: 11,
      db: 0,
      ftp: 1,
      ssh: 0,
      cron: 0,
      apps: 0,
    })
  })

  test('has modes that do not depend on the umask', async () => {
    const { driver, mode } = bench()
    const before = process.umask(0o077)
    try {
      await apply(driver, account())
    } finally {
      process.umask(before)
    }
    expect([mode('home/bob/sites'), mode('home/bob'), mode(vhost)]).toEqual(['755', '710', '600'])
  })

  test('leaves nothing of the installation behind', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const names = Object.keys(snapshot(root))
    expect(names.filter((name) => /panel-(new|old)|\.(undo|done)$/.test(name))).toEqual([])
  })
})

describe('second apply', () => {
  test('changes nothing, even with a new driver', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const first = snapshot(root)
    expect(changes(await apply(driver, account()))).toBe(0)
    expect(changes(await apply(bench({ root }).driver, account()))).toBe(0)
    expect(snapshot(root)).toEqual(first)
  })

  test('does not even touch the files', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const { ino, mtimeMs } = statSync(join(root, vhost))
    await apply(driver, account())
    expect(statSync(join(root, vhost))).toMatchObject({ ino, mtimeMs })
  })

  test('leaves other areas alone when it applies one', async () => {
    const { driver, read } = bench()
    await apply(driver, account())
    const state = { server, accounts: [account({ suspended: true })] }
    const results = await driver.apply(state, { areas: ['mail'] })
    expect(results.areas).toEqual([{ area: 'mail', changed: 1 }])
    expect(read(vhost)).not.toContain('503')
  })

  test('repairs what was changed by hand', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const good = snapshot(root)
    writeFileSync(join(root, vhost), 'server {}')
    rmSync(join(root, 'etc/bind/panel/zones/bob.example.zone'))
    chmodSync(join(root, 'etc/panel/ftp/passwd.d/bob'), 0o644)
    chmodSync(join(root, 'home/bob'), 0o755)
    rmSync(join(root, 'home/bob/tmp'), { recursive: true })
    rmSync(join(root, 'etc/panel/mail/domains.d'), { recursive: true })
    expect(changes(await apply(driver, account()))).toBe(6)
    expect(snapshot(root)).toEqual(good)
  })

  test("leaves the customer's own files alone", async () => {
    const { driver, root, read, mode, has } = bench()
    await apply(driver, account())
    writeFileSync(join(root, index), 'my own page')
    chmodSync(join(root, 'home/bob/sites/bob.example/public'), 0o750)
    await apply(driver, withSerial(2026010102))
    expect(read(index)).toBe('my own page')
    expect(mode('home/bob/sites/bob.example/public')).toBe('750')
    rmSync(join(root, index))
    await apply(driver, account())
    expect(has(index)).toBe(false)
  })
})

describe('suspension', () => {
  test('replaces the site with a page, stops outgoing mail, PHP and FTP, and is idempotent', async () => {
    const { driver, read, has } = bench()
    await apply(driver, account())
    await apply(driver, account({ suspended: true }))
    expect(read(vhost)).toContain('return 503;')
    expect(read(vhost)).toContain('acme-challenge')
    expect(read(vhost)).not.toContain('fastcgi_pass')
    expect(read('etc/panel/mail/nosubmit.d/bob')).toBe('bob suspended\n')
    expect(read('etc/panel/mail/domains.d/bob')).toBe('bob.example bob\n')
    expect(has('etc/panel/php/8.4-e3b0c44298fc-bob.conf')).toBe(false)
    expect(has('etc/panel/ftp/passwd.d/bob')).toBe(false)
    expect(has('etc/bind/panel/zones/bob.example.zone')).toBe(true)
    expect(read('var/lib/panel-host/pages/suspended.html')).toContain('suspended')
    expect(changes(await apply(driver, account({ suspended: true })))).toBe(0)
  })

  test('undoes a suspension without a trace', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const active = snapshot(root)
    await apply(driver, account({ suspended: true }))
    await apply(driver, account())
    expect(snapshot(root)).toEqual(active)
  })
})

describe('renamed account', () => {
  test('takes its home and logs along and leaves no file under its old name', async () => {
    const { driver, root, read, has } = bench()
    await apply(driver, account())
    writeFileSync(join(root, index), 'my own page')
    writeFileSync(join(root, 'var/log/panel/bob/bob.example.access.log'), 'a line\n')
    await apply(driver, account({ username: 'robert', formerUsername: 'bob' }))
    expect(read('home/robert/sites/bob.example/public/index.html')).toBe('my own page')
    expect(has('var/log/panel/robert/bob.example.access.log')).toBe(true)
    const old = Object.keys(snapshot(root)).filter((path) => /(^|\/)bob(\.conf)?$/.test(path))
    expect(old).toEqual([])
    expect(read(vhost)).toContain('/home/robert/')
    expect(changes(await apply(driver, account({ username: 'robert', formerUsername: 'bob' })))).toBe(0)
  })

  test('equals one that always had its name', async () => {
    const [renamed, fresh] = [bench(), bench()]
    await apply(renamed.driver, account())
    await renamed.driver.apply({ server, accounts: [account({ username: 'robert' })] }, { areas: ['web'] })
    await apply(fresh.driver, account({ username: 'robert' }))
    expect(snapshot(renamed.root)).toEqual(snapshot(fresh.root))
  })

  test('refuses a rename if a home with the new name already exists', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    mkdirSync(join(root, 'home/robert'))
    const before = snapshot(root)
    await expect(apply(driver, account({ username: 'robert' }))).rejects.toThrow('home/robert already exists')
    expect(snapshot(root)).toEqual(before)
  })

  test('keeps its old name reserved until its rename is applied', async () => {
    const { driver, root, has } = bench()
    const newcomer = account({ id: idOf(2), uid: 20002, mainDomain: 'new.example' })
    await apply(driver, account())
    writeFileSync(join(root, index), 'my own page')
    await expect(apply(driver, newcomer)).rejects.toThrow('still held by another account, uid 20001')
    await driver.remove(nameOf(newcomer))
    expect(has('home/bob/sites/bob.example/public')).toBe(true)
    await apply(driver, account({ username: 'robert', formerUsername: 'bob' }))
    await apply(driver, newcomer)
    expect(has('home/bob/sites/bob.example')).toBe(false)
    expect(has('home/robert/sites/bob.example/public/index.html')).toBe(true)
  })
})

describe('changed domain', () => {
  test('moves the site and its mail, and removes the old vhost and zone', async () => {
    const { driver, root, read, has } = bench()
    await apply(driver, account())
    writeFileSync(join(root, index), 'my own page')
    mkdirSync(join(root, 'home/bob/mail/bob.example/bob'), { recursive: true })
    await apply(driver, account({ mainDomain: 'new.example' }))
    expect(read('home/bob/sites/new.example/public/index.html')).toBe('my own page')
    expect(has('home/bob/mail/new.example/bob')).toBe(true)
    expect(Object.keys(snapshot(root)).filter((path) => path.includes('bob.example'))).toEqual([])
    expect(changes(await apply(driver, account({ mainDomain: 'new.example' })))).toBe(0)
  })

  test('changes a domain together with a rename in one step too', async () => {
    const [changed, fresh] = [bench(), bench()]
    const both = account({ username: 'robert', mainDomain: 'new.example' })
    await apply(changed.driver, account())
    await apply(changed.driver, both)
    await apply(fresh.driver, both)
    expect(snapshot(changed.root)).toEqual(snapshot(fresh.root))
  })

  test('keeps both sites if the customer has one with the new name', async () => {
    const { driver, root, read, has } = bench()
    await apply(driver, account())
    mkdirSync(join(root, 'home/bob/sites/new.example/public'), { recursive: true })
    writeFileSync(join(root, 'home/bob/sites/new.example/public/index.html'), 'my own page')
    await apply(driver, account({ mainDomain: 'new.example' }))
    expect(read('home/bob/sites/new.example/public/index.html')).toBe('my own page')
    expect(has('home/bob/sites/bob.example/public')).toBe(true)
  })

  test('leaves alone what the domain’s next owner has created', async () => {
    const { driver, read } = bench()
    const next = account({ id: idOf(2), username: 'carol', uid: 20002 })
    await apply(driver, account())
    await apply(driver, next)
    await apply(driver, account({ mainDomain: 'new.example' }))
    expect(read(vhost)).toContain('/home/carol/')
    expect(read('etc/panel/mail/passwd.d/bob.example')).toContain('/home/carol/')
    expect(changes(await apply(driver, next))).toBe(0)
  })
})

describe('removal of an account', () => {
  const now = () => Date.UTC(2026, 0, 2, 3, 4, 5)

  test('keeps only the home, in the trash, and is idempotent', async () => {
    const { driver, root, read, mode } = bench({ now })
    await apply(driver, account({ id: idOf(2), username: 'carol', uid: 20002, mainDomain: 'carol.example' }))
    const neighbours = snapshot(root)
    await apply(driver, account())
    writeFileSync(join(root, index), 'my own page')
    await driver.remove(nameOf(account()))
    await driver.remove(nameOf(account()))
    const entry = `home/.panel-trash/bob-20260102T030405Z-${idOf(1)}`
    expect(read(`${entry}/sites/bob.example/public/index.html`)).toBe('my own page')
    expect(mode('home/.panel-trash')).toBe('700')
    const trash = /^(?:home\/\.panel-trash|var\/log\/panel\/\.trash)\//
    const left = Object.entries(snapshot(root)).filter(([path]) => !trash.test(path))
    expect(Object.fromEntries(left)).toEqual(neighbours)
  })

  test('works for an account whose rename was never applied, and for an unknown one', async () => {
    const { driver, has } = bench({ now })
    await apply(driver, account())
    await driver.remove(nameOf(account({ username: 'robert' })))
    await driver.remove(nameOf(account({ id: idOf(3), username: 'ghost' })))
    expect(has(`home/.panel-trash/bob-20260102T030405Z-${idOf(1)}/sites`)).toBe(true)
    expect(has('home/bob')).toBe(false)
  })

  test('removes only what the panel wrote', async () => {
    const { driver, root, has } = bench({ now })
    await apply(driver, account())
    writeFileSync(join(root, 'etc/panel/nginx/sites/by-hand.conf'), '# mine\n')
    await driver.remove(nameOf(account()))
    expect(has('etc/panel/nginx/sites/by-hand.conf')).toBe(true)
  })
})
