import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { account, apply, bench, idOf, type Over, server, tempDir } from './helpers.ts'

/** What these tests ask is whether the real programs take the files; without one its tests are shown as skipped. */
const tools = {
  nginx: '/usr/sbin/nginx',
  zone: '/usr/bin/named-checkzone',
  conf: '/usr/bin/named-checkconf',
  fpm: '/usr/sbin/php-fpm8.2',
}

function run(command: string, ...args: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 })
  if (error) throw error
  return { code: status, said: `${stdout}${stderr}` }
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

describe.skipIf(!existsSync(tools.zone))('named-checkzone takes the zone of an account', () => {
  test.each(kinds)('%s', async (_, over) => {
    const { driver, root } = bench()
    const state = account(over)
    await apply(driver, state)
    const file = join(root, `etc/bind/panel/zones/${state.mainDomain}.zone`)
    expect(run(tools.zone, '-i', 'local', '-k', 'fail', '-n', 'fail', state.mainDomain, file)).toMatchObject({
      code: 0,
    })
  })

  test('whose nameservers are inside the zone', async () => {
    const { driver, root } = bench()
    const nameservers = ['ns1.bob.example', 'mail.bob.example', 'ns2.host.example']
    await driver.apply({ server: { hostname: 'host.example', nameservers }, accounts: [account()] })
    const file = join(root, 'etc/bind/panel/zones/bob.example.zone')
    expect(run(tools.zone, '-i', 'local', '-k', 'fail', '-n', 'fail', 'bob.example', file)).toMatchObject({ code: 0 })
  })

  test('whose server has one label and no nameservers', async () => {
    const { driver, root } = bench()
    await driver.apply({ server: { hostname: 'localhost', nameservers: [] }, accounts: [account()] })
    const file = join(root, 'etc/bind/panel/zones/bob.example.zone')
    expect(run(tools.zone, '-i', 'local', 'bob.example', file)).toMatchObject({ code: 0 })
  })
})

test.skipIf(!existsSync(tools.conf))('named-checkconf takes the list of zones', async () => {
  const { driver, root, read } = bench()
  await apply(driver, account())
  const conf = join(tempDir(), 'zones.conf')
  writeFileSync(conf, read('etc/bind/panel/zones.d/bob').replaceAll('/etc/bind', `${root}/etc/bind`))
  expect(run(tools.conf, '-z', conf)).toMatchObject({ code: 0 })
})

describe.skipIf(!existsSync(tools.fpm))('php-fpm takes the master of an account', () => {
  test.each(kinds.filter(([, { suspended, parts }]) => !suspended && !parts?.php))('%s', async (_, over) => {
    const { driver, root, read } = bench()
    await apply(driver, account(over))
    const conf = join(tempDir(), 'fpm.conf')
    writeFileSync(conf, read('etc/panel/php/bob.conf').replaceAll('/var/log/panel', `${root}/var/log/panel`))
    expect(run(tools.fpm, '-n', '-t', '-y', conf)).toMatchObject({ code: 0 })
  })
})

/** The rendered files below another root, and sockets of the test's instead of ports. */
function nginxConf(root: string): { conf: string; socket: string } {
  const dir = tempDir()
  const socket = join(dir, 's')
  const moved = (text: string) =>
    text
      .replace(/ (\/(?:etc|var|home)\/)/g, ` ${root}$1`)
      .replace(/=(\/home\/)/g, `=${root}$1`)
      .replace('listen 80 default_server;', `listen unix:${socket} default_server;`)
      .replace('listen 80;', `listen unix:${socket};`)
      .replace('listen 443 ssl http2', `listen unix:${socket}s ssl http2`)
      .replace(/ {2}listen \[::\].*\n/g, '')
  const sites = join(dir, 'sites')
  mkdirSync(sites)
  const from = join(root, 'etc/panel/nginx/sites')
  for (const name of readdirSync(from)) writeFileSync(join(sites, name), moved(readFileSync(join(from, name), 'utf8')))
  const shared = moved(readFileSync(join(root, 'etc/panel/nginx/panel.conf'), 'utf8')).replace(from, sites)
  copyFileSync('/etc/nginx/fastcgi_params', join(dir, 'fastcgi_params'))
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${dir}/${kind};`)
  const http = `http { access_log off; ${temps.join(' ')}\n${shared}}`
  const conf = join(dir, 'nginx.conf')
  writeFileSync(conf, `${user} pid ${dir}/pid; daemon off; error_log stderr crit; events {}\n${http}\n`)
  return { conf, socket }
}

const get = (socket: string, path: string, host = 'bob.example') =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const call = request({ socketPath: socket, path, headers: { host }, agent: false }, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      resolve({ status: answer.statusCode!, body })
    })
    call.once('error', reject).end()
  })

async function serve(root: string): Promise<string> {
  const { conf, socket } = nginxConf(root)
  const child = spawn(tools.nginx, ['-c', conf, '-e', 'stderr'], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.kill('SIGTERM')) await ended
  })
  for (let tries = 0; tries < 500 && !(await listens(socket)); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  return socket
}

/** The file is there a moment before anybody listens. */
const listens = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(socket, () => resolve(probe.destroy() !== undefined))
    probe.once('error', () => resolve(false))
  })

describe.skipIf(!existsSync(tools.nginx))('nginx', () => {
  test.each(kinds)('takes the site of an account %s', async (_, over) => {
    const { driver, root } = bench()
    await apply(driver, account(over))
    const { conf } = nginxConf(root)
    expect(run(tools.nginx, '-t', '-q', '-c', conf, '-e', 'stderr')).toEqual({ code: 0, said: '' })
  })

  test('serves an active site, closes a suspended one, and answers certificate challenges for both', async () => {
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

  test.skipIf(process.getuid?.() !== 0)('serves no file that a tenant links to and does not own', async () => {
    const { driver, root } = bench()
    await apply(driver, account())
    const site = join(root, 'home/bob/sites/bob.example/public')
    for (const [name, target] of Object.entries({ theirs: '/etc/passwd', own: join(site, 'index.html') })) {
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
    const { id, username, uid, mainDomain } = account()
    expect(await driver.usage([{ id, username, uid, mainDomain }])).toMatchObject([{ bandwidthMb: 4 }])
  })
})
