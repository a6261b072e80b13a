import { spawnSync } from 'node:child_process'
import { existsSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, apply, bench, idOf, type Over, redirect, server, siteOf, tempDir, zoneStateOf } from './helpers.ts'
import { get, nginx, nginxConf, serve } from './nginx.ts'

/** These tests ask whether the real programs accept the files; without one its tests are skipped. */
const tools = {
  nginx,
  zone: '/usr/bin/named-checkzone',
  conf: '/usr/bin/named-checkconf',
  fpm: '/usr/sbin/php-fpm8.2',
  openssl: '/usr/bin/openssl',
}

function run(command: string, ...args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 })
  if (error) throw error
  return { code: status, output: `${stdout}${stderr}` }
}

const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`
const kinds: [string, Over][] = [
  ['plain', {}],
  ['suspended', { suspended: true }],
  ['with cgi', { parts: { web: { cgi: true } } }],
  ['without PHP', { parts: { php: { children: 0 }, web: { php: false } } }],
  ['on IPv6', { ipAddress: '2001:db8::7' }],
  ['with a long name', { mainDomain: long }],
]

describe.skipIf(!existsSync(tools.zone))('zone that named-checkzone reads', () => {
  test.each(kinds)('accepts the zone of an account: %s', async (_, over) => {
    const { driver, root } = bench()
    const state = account(over)
    await apply(driver, state)
    const file = join(root, `etc/bind/panel/zones/${state.mainDomain}.zone`)
    expect(run(tools.zone, '-i', 'local', '-k', 'fail', '-n', 'fail', state.mainDomain, file)).toMatchObject({
      code: 0,
    })
  })

  test('accepts the zone of an account whose server has a single label', async () => {
    const { driver, root } = bench()
    const zones = [zoneStateOf('bob.example', '192.0.2.7', { nameservers: ['localhost'] })]
    await apply(driver, account({ parts: { dns: { zones } } }))
    const file = join(root, 'etc/bind/panel/zones/bob.example.zone')
    expect(run(tools.zone, '-i', 'local', 'bob.example', file)).toMatchObject({ code: 0 })
  })
})

test.skipIf(!existsSync(tools.conf))('named-checkconf accepts the list of zones', async () => {
  const { driver, root, read } = bench()
  await apply(driver, account())
  const conf = join(tempDir(), 'zones.conf')
  writeFileSync(conf, read('etc/bind/panel/zones.d/bob').replaceAll('/etc/bind', `${root}/etc/bind`))
  expect(run(tools.conf, '-z', conf)).toMatchObject({ code: 0 })
})

describe.skipIf(!existsSync(tools.fpm))('master that php-fpm reads', () => {
  test.each(kinds.filter(([, { suspended, parts }]) => !suspended && !parts?.php))(
    'accepts the master of an account: %s',
    async (_, over) => {
      const { driver, root, read } = bench()
      await apply(driver, account(over))
      const conf = join(tempDir(), 'fpm.conf')
      writeFileSync(
        conf,
        read('etc/panel/php/8.4-e3b0c44298fc-bob.conf').replaceAll('/var/log/panel', `${root}/var/log/panel`),
      )
      expect(run(tools.fpm, '-n', '-t', '-y', conf)).toMatchObject({ code: 0 })
    },
  )
})

/** A self-signed certificate and its key, at the sites' paths. */
function certify(root: string, ...names: string[]): void {
  const dir = join(root, 'etc/panel/tls')
  mkdirSync(dir, { recursive: true })
  for (const name of names) {
    const [crt, key] = [join(dir, `${name}.crt`), join(dir, `${name}.key`)]
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`]
    expect(run(tools.openssl, 'req', '-x509', ...made, '-days', '30', '-out', crt, '-keyout', key).code).toBe(0)
  }
}

describe.skipIf(!existsSync(tools.nginx))('nginx', () => {
  test.each(kinds)('accepts the site of an account %s', async (_, over) => {
    const { driver, root } = bench()
    await apply(driver, account(over))
    const { conf } = nginxConf(root)
    expect(run(tools.nginx, '-t', '-q', '-c', conf, '-e', 'stderr')).toEqual({ code: 0, output: '' })
  })

  const sites = [
    siteOf('bob.example', { handler: 'static' }),
    siteOf('front.example', { handler: 'php-front' }),
    siteOf('wild.example', { file: '_wildcard.wild.example', names: ['*.wild.example'] }),
    siteOf('secure.example', { tls: true, httpsRedirect: true }),
    siteOf('hop.example', {
      tls: true,
      httpsRedirect: true,
      rules: { canonical: 'www' },
      redirects: [redirect('/old')],
    }),
    siteOf('tls.example', { tls: true }),
    siteOf('moved.example', { redirects: [redirect('/', { match: 'prefix', keepPath: true }), redirect('/', {})] }),
    siteOf('some.example', {
      redirects: [
        redirect('/a', { match: 'prefix', status: 302 }),
        redirect('/a'),
        redirect('/cgi-bin', { match: 'prefix' }),
        redirect('/~b/', { target: 'https://new.example/%7Bx%7D?a=1&b=2#c' }),
      ],
    }),
  ]

  test('accepts sites of every kind', async () => {
    const { driver, root } = bench()
    await apply(driver, account({ parts: { web: { sites, cgi: true } } }))
    certify(root, 'secure.example', 'hop.example', 'tls.example')
    const { conf } = nginxConf(root)
    expect(run(tools.nginx, '-t', '-q', '-c', conf, '-e', 'stderr')).toEqual({ code: 0, output: '' })
  })

  test('redirects, and does not answer for unknown names', async () => {
    const { driver, root } = bench()
    await apply(driver, account({ parts: { web: { sites } } }))
    certify(root, 'secure.example', 'hop.example', 'tls.example')
    const socket = await serve(root)
    const requests = async (host: string, path: string) => {
      const { status, location } = await get(socket, path, host)
      return [status, location]
    }
    expect(await requests('moved.example', '/x?y=1')).toEqual([301, 'https://new.example/x?y=1'])
    expect(await requests('some.example', '/a')).toEqual([301, 'https://new.example/'])
    expect(await requests('some.example', '/a/b')).toEqual([302, 'https://new.example/'])
    expect(await requests('some.example', '/ab')).toEqual([404, undefined])
    expect(await requests('some.example', '/~b/')).toEqual([301, 'https://new.example/%7Bx%7D?a=1&b=2#c'])
    expect(await requests('www.secure.example', '/x?y=1')).toEqual([301, 'https://www.secure.example/x?y=1'])
    for (const host of ['hop.example', 'www.hop.example']) {
      expect(await requests(host, '/x?y=1')).toEqual([301, 'https://www.hop.example/x?y=1'])
      expect(await requests(host, '/old')).toEqual([301, 'https://new.example/'])
    }
    expect(await requests('tls.example', '/')).toEqual([200, undefined])
    expect(await requests('any.wild.example', '/')).toEqual([200, undefined])
    expect(await requests('bob.example', '/x.php')).toEqual([404, undefined])
    await expect(requests('nobody.example', '/')).rejects.toThrow('socket hang up')
  })

  test('serves an active site, replaces a suspended one, and answers certificate challenges for both', async () => {
    const { driver, root } = bench()
    const carol = account({ id: idOf(2), username: 'carol', uid: 20002, mainDomain: 'carol.example', suspended: true })
    await driver.apply({ server, accounts: [account(), carol] })
    const challenges = join(root, 'var/lib/panel-host/acme/.well-known/acme-challenge')
    mkdirSync(challenges, { recursive: true })
    writeFileSync(join(challenges, 'token'), 'proof')
    writeFileSync(join(root, 'home/bob/sites/bob.example/public/.env'), 'secret')
    const socket = await serve(root)
    expect(await get(socket, '/')).toMatchObject({ status: 200, body: expect.stringContaining('Welcome') })
    expect(await get(socket, '/', 'www.bob.example')).toMatchObject({ status: 200 })
    expect(await get(socket, '/.env')).toMatchObject({ status: 403 })
    expect(await get(socket, '/cgi-bin/x')).toMatchObject({ status: 404 })
    for (const path of ['/', '/x.php', '/.env']) {
      expect(await get(socket, path, 'carol.example')).toMatchObject({
        status: 503,
        body: expect.stringContaining('suspended'),
      })
    }
    for (const host of ['bob.example', 'carol.example']) {
      expect(await get(socket, '/.well-known/acme-challenge/token', host)).toEqual({ status: 200, body: 'proof' })
    }
  })

  test.skipIf(process.getuid?.() !== 0)('serves no file that a tenant links to but does not own', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const site = join(root, 'home/bob/sites/bob.example/public')
    writeFileSync(join(site, 'page.html'), 'page')
    for (const [name, target] of Object.entries({ theirs: '/etc/passwd', own: join(site, 'page.html') })) {
      symlinkSync(target, join(site, name))
    }
    lchownSync(join(site, 'theirs'), 20001, 20001)
    const socket = await serve(root)
    expect(await get(socket, '/own')).toMatchObject({ status: 200 })
    expect(await get(socket, '/theirs')).toMatchObject({ status: 404 })
  })

  test('logs traffic so that usage can count it', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    writeFileSync(join(root, 'home/bob/sites/bob.example/public/big'), Buffer.alloc(3 * 1024 * 1024))
    const socket = await serve(root)
    expect(await get(socket, '/big')).toMatchObject({ status: 200 })
    const { transfers } = await driver.logs.traffic({
      log: 'web',
      first: '2000-01-01',
      last: '2999-12-31',
      maxBytes: 65_536,
    })
    expect(transfers).toMatchObject([{ name: 'bob', sent: expect.any(Number) }])
    expect(transfers[0]!.sent).toBeGreaterThan(3 * 1024 * 1024)
  })
})
