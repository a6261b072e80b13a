import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ServerConfig } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import {
  account,
  apply,
  bench,
  changes,
  idOf,
  mailDomain,
  nameOf,
  type Over,
  server,
  snapshot,
  tempDir,
  zoneStateOf,
} from './helpers.ts'

const zoneWith = (over: Parameters<typeof zoneStateOf>[2]) => ({
  dns: { zones: [zoneStateOf('bob.example', '192.0.2.7', over)] },
})

const endings = [
  '\n',
  '\r',
  '\0',
  ' ',
  ';',
  '{',
  '}',
  '"',
  "'",
  '$',
  '`',
  '\\',
  '|',
  '/',
  '..',
  '#',
  '\t',
  'é',
  '\u2028',
]
const names = ['username', 'formerUsername', 'mainDomain', 'id', 'ipAddress', 'shell'] as const
/** An apostrophe is valid in an address: o'hara@… */
const inAddress = endings.filter((ending) => ending !== "'")

const refused = { name: 'HostError', stage: 'stage' }

async function expectRefused(over: Over, config: ServerConfig = server): Promise<void> {
  const { driver, root, has } = bench()
  await expect(driver.apply({ server: config, accounts: [account(over)] }), JSON.stringify(over)).rejects.toMatchObject(
    refused,
  )
  expect(has('') ? snapshot(root) : {}).toEqual({})
}

describe('values that could be misread in a file', () => {
  test.each(names)('refuses %s, and writes nothing', async (field) => {
    const value = account({ formerUsername: 'bob' })[field]!
    for (const ending of endings) {
      await expectRefused({ [field]: `${value}${ending}` })
      await expectRefused({ [field]: `${ending}${value}` })
      await expectRefused({ [field]: `${value.slice(0, 2)}${ending}${value.slice(2)}` })
    }
    for (const other of ['', 7, null, ['bob'], { toString: () => 'bob' }]) await expectRefused({ [field]: other })
  })

  test('refuses a hostile contactEmail', async () => {
    for (const ending of inAddress) {
      await expectRefused({ contactEmail: `bob${ending}@elsewhere.example${ending}` })
      await expectRefused({ contactEmail: `${ending}bob@elsewhere.example` })
      await expectRefused({ contactEmail: `bob@elsewhere${ending}.example` })
    }
    for (const odd of [
      'bob',
      '@x.example',
      'a@b',
      'a@b@c.example',
      '|mail@x.example',
      '#a@x.example',
      "'a@x.example",
    ]) {
      await expectRefused({ contactEmail: odd })
    }
  })

  test.each(['hostname', 'nameservers'] as const)('refuses a hostile value of the server’s %s', async (field) => {
    for (const ending of endings) {
      const value = `ns1.host.example${ending}`
      await expectRefused({}, { ...server, [field]: field === 'hostname' ? value : [value] })
    }
  })

  test('refuses values that are not whole numbers', async () => {
    for (const odd of [-1, 1.5, Number.NaN, 2 ** 53, 2 ** 32, '20001', null, undefined]) {
      await expectRefused({ uid: odd as never })
      await expectRefused({ parts: zoneWith({ serial: odd as never }) })
    }
  })

  test('refuses hostile records', async () => {
    const sound = { name: 'x', type: 'TXT', value: 'x' } as const
    for (const odd of [
      { ...sound, name: 'a b' },
      { ...sound, name: 'a\nb' },
      { ...sound, name: '$INCLUDE' },
      { ...sound, name: 'other.' },
      { ...sound, value: 'a\nb' },
      { ...sound, value: '' },
      { ...sound, ttl: 0 },
      { ...sound, type: 'SOA' },
      { ...sound, type: 'A', value: '192.0.2.1 ; x' },
      { ...sound, type: 'CNAME', value: 'x.example. IN A 192.0.2.1' },
      { ...sound, type: 'MX', value: 'x.example' },
      { ...sound, type: 'MX', value: 'x.example', priority: 65_536 },
      { ...sound, type: 'CAA', value: 'ü', flags: 0, tag: 'issue' },
      { ...sound, type: 'CAA', value: 'x', flags: 1, tag: 'issue' },
      { ...sound, type: 'TLSA', value: '3 1 1 xx' },
    ])
      await expectRefused({ parts: zoneWith({ records: [odd as never] }) })
    for (const value of ['x"', 'x y', ''])
      await expectRefused({ parts: zoneWith({ challenges: [{ name: 'a', value }] }) })
    for (const name of ['../x', 'x.example"', 'x', 'X.example']) await expectRefused({ parts: zoneWith({ name }) })
  })

  test('refuses hostile mail routing', async () => {
    for (const odd of ['', 'Local', 'local\n', 'elsewhere', null, undefined, ['local']])
      await expectRefused({ parts: { mail: { domains: [mailDomain('bob.example', { routing: odd as never })] } } })
  })

  test('refuses a uid that belongs to the system', async () => {
    for (const uid of [0, 33, 19_999, 60_000]) await expectRefused({ uid })
  })

  test('refuses invalid limits', async () => {
    for (const odd of [-1, 1.5, Number.POSITIVE_INFINITY, '5', null]) {
      for (const limit of ['diskMb', 'inodes', 'bandwidthMb', 'phpChildren', 'emailsPerHour']) {
        await expectRefused({ parts: { limits: { [limit]: odd } } })
      }
    }
  })

  test('refuses invalid flags', async () => {
    for (const odd of ['yes', 1, null, undefined]) {
      await expectRefused({ suspended: odd as never })
      for (const flag of ['cgi', 'php']) await expectRefused({ parts: { web: { [flag]: odd } } })
      for (const flag of ['spamFilter', 'spamBox']) await expectRefused({ parts: { mail: { [flag]: odd } } })
    }
  })

  test('refuses names that point elsewhere, and invalid addresses', async () => {
    for (const username of ['..', '.', 'root/x', 'a', 'Bob', '1bob', 'a'.repeat(17), '-bob', 'bob_1']) {
      await expectRefused({ username })
    }
    for (const mainDomain of [
      'localhost',
      '..',
      'a..b',
      '-a.example',
      '*.example',
      '192.0.2.1',
      `${'a'.repeat(64)}.example`,
    ]) {
      await expectRefused({ mainDomain })
    }
    for (const ipAddress of ['1.2.3', '1.2.3.256', '::g', 'fe80::1%eth0', '1.2.3.4/8'])
      await expectRefused({ ipAddress })
  })

  test('refuses hostile values in remove and usage too', async () => {
    const { driver } = bench()
    for (const odd of [{ username: '../etc' }, { id: '../../x' }, { mainDomain: '../x' }, { uid: 0 }]) {
      const name = { ...nameOf(account()), ...odd }
      await expect(driver.remove(name)).rejects.toMatchObject(refused)
      await expect(driver.usage({ accounts: [name] })).rejects.toMatchObject(refused)
    }
  })

  test('accepts realistic values', async () => {
    const { driver } = bench()
    const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`
    const states = [
      ...['', "o'hara@x.example", 'a.b+c_d-e@sub.x.example', 'A@X.Example'].map((contactEmail) => ({ contactEmail })),
      ...['xn--bcher-kva.example', 'a.xn--p1ai', '1.example', long].map((mainDomain) => ({ mainDomain })),
      ...['2001:db8::7', '::1'].map((ipAddress) => ({ ipAddress })),
    ]
    for (const state of states) {
      const applied = await apply(driver, account(state))
      expect([state, changes(applied) > 0]).toEqual([state, true])
    }
    for (const hostname of ['localhost', 'vm-1']) {
      const applied = driver.apply({ server: { hostname, nameservers: [] }, accounts: [account()] })
      await expect(applied, hostname).resolves.toHaveProperty('areas')
    }
  })
})

describe('link that a tenant has put in its home', () => {
  const links = ['sites', 'sites/bob.example', 'sites/bob.example/public', 'tmp', 'mail', 'apps']

  /** The home's directory is moved aside, and replaced by a link to the outside. */
  function plant(root: string, path: string): string {
    const outside = join(tempDir(), 'outside')
    mkdirSync(join(outside, 'bob.example/public'), { recursive: true })
    mkdirSync(join(outside, 'public'))
    writeFileSync(join(outside, 'victim'), 'precious')
    renameSync(join(root, 'home/bob', path), join(root, 'home/bob/kept'))
    symlinkSync(outside, join(root, 'home/bob', path))
    return outside
  }

  test.each(links)('reports a link at %s, never writes through it, and continues with the rest', async (path) => {
    const { driver, root, read } = bench()
    await apply(driver, account())
    const outside = plant(root, path)
    const before = [snapshot(outside), snapshot(join(root, 'home'))]
    const { areas, warnings } = await apply(driver, account({ parts: { limits: { diskMb: 7 }, php: { children: 1 } } }))
    expect(warnings).toEqual([
      { kind: 'home', account: idOf(1), message: expect.stringMatching(/the home of bob .* refusing/) },
    ])
    expect(areas.filter(({ changed }) => changed > 0)).toEqual([
      { area: 'limits', changed: 1 },
      { area: 'php', changed: 1 },
    ])
    expect(read('etc/panel/limits.d/bob')).toContain('disk_mb=7\n')
    expect(read('etc/panel/php/8.4-e3b0c44298fc-bob.conf')).toContain('pm.max_children = 1\n')
    expect([snapshot(outside), snapshot(join(root, 'home'))]).toEqual(before)
  })

  test('reports a link no longer once it is gone, and does what it blocked', async () => {
    const { driver, root, read } = bench()
    await apply(driver, account())
    writeFileSync(join(root, 'home/bob/sites/bob.example/public/index.html'), 'my own page')
    plant(root, 'sites')
    const changed = account({ mainDomain: 'new.example' })
    rmSync(join(root, 'home/bob/tmp'), { recursive: true })
    expect((await apply(driver, changed)).warnings).toHaveLength(1)
    expect((await apply(driver, changed)).warnings).toHaveLength(1)
    expect(read('etc/panel/nginx/sites/new.example.conf')).toContain('server_name new.example')
    rmSync(join(root, 'home/bob/sites'))
    renameSync(join(root, 'home/bob/kept'), join(root, 'home/bob/sites'))
    expect((await apply(driver, changed)).warnings).toEqual([])
    expect(read('home/bob/sites/new.example/public/index.html')).toBe('my own page')
    expect(changes(await apply(driver, changed))).toBe(0)
  })

  test.each(links)('suspends, renames and removes an account despite a link at %s', async (path) => {
    const { driver, root, read, has } = bench()
    await apply(driver, account())
    const outside = plant(root, path)
    const before = snapshot(outside)
    const unreachable = account({ suspended: true, username: 'robert', mainDomain: 'new.example' })
    await apply(driver, account({ suspended: true }))
    expect(read('etc/panel/nginx/sites/bob.example.conf')).toContain('return 503')
    await apply(driver, unreachable)
    expect(has('home/robert')).toBe(true)
    await driver.remove(nameOf(unreachable))
    expect(has('home/robert')).toBe(false)
    expect(snapshot(outside)).toEqual(before)
  })

  test('leaves a link in place of the page itself alone', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const index = join(root, 'home/bob/sites/bob.example/public/index.html')
    const victim = join(tempDir(), 'victim')
    writeFileSync(victim, 'precious')
    symlinkSync(victim, index)
    const before = [snapshot(join(victim, '..')), snapshot(root)]
    expect(changes(await apply(driver, account()))).toBe(0)
    expect([snapshot(join(victim, '..')), snapshot(root)]).toEqual(before)
  })

  test.each(['make home/bob/sites/bob.example', 'make home/bob/sites/bob.example/public'])(
    'refuses a link put there before an apply reaches %s',
    async (at) => {
      const { root } = bench()
      const outside = join(tempDir(), 'outside')
      mkdirSync(join(outside, 'bob.example/public'), { recursive: true })
      const before = snapshot(outside)
      const onFailPoint = (point: string) => {
        if (point !== at) return
        rmSync(join(root, 'home/bob/sites'), { recursive: true })
        symlinkSync(outside, join(root, 'home/bob/sites'))
      }
      await expect(apply(createDirectoryDriver({ root, onFailPoint }), account())).rejects.toThrow('refusing')
      expect(snapshot(outside)).toEqual(before)
    },
  )

  test('does not follow a link put there in the middle of an apply when it rolls back', async () => {
    const { driver, root } = bench()
    const outside = join(tempDir(), 'outside')
    mkdirSync(join(outside, 'bob.example/public'), { recursive: true })
    writeFileSync(join(outside, 'bob.example/public/index.html'), 'precious')
    const before = snapshot(outside)
    const onFailPoint = (point: string) => {
      if (point !== 'validate') return
      rmSync(join(root, 'home/bob/sites'), { recursive: true })
      symlinkSync(outside, join(root, 'home/bob/sites'))
      throw new Error('stop')
    }
    await apply(driver, account({ id: idOf(2), username: 'carol', uid: 20002, mainDomain: 'carol.example' }))
    await expect(apply(createDirectoryDriver({ root, onFailPoint }), account())).rejects.toThrow('stop')
    expect(snapshot(outside)).toEqual(before)
  })
})

test('a manifest that was tampered with removes nothing else', async () => {
  const { driver, root, has } = bench()
  await apply(driver, account())
  writeFileSync(join(root, 'etc/panel/precious'), 'x')
  writeFileSync(join(root, 'home/bob/sites/bob.example/public/index.html'), 'my own page')
  const files = { web: ['../../precious', 'home/bob/sites/bob.example/public/index.html'] }
  const manifest = { ...nameOf(account()), files }
  writeFileSync(join(root, `var/lib/panel-host/manifest/${idOf(1)}.json`), JSON.stringify(manifest))
  await expect(apply(driver, account())).rejects.toMatchObject(refused)
  expect(has('home/bob/sites/bob.example/public/index.html')).toBe(true)
})
