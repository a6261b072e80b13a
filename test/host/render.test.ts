import { describe, expect, test } from 'vitest'
import type { HostArea, ServerConfig } from '../../src/host/contract/driver.ts'
import { assemble } from '../../src/host/parts/assemble.ts'
import { renderAccount } from '../../src/host/parts/render.ts'
import { account, mailDomain, type Over, server, zoneStateOf } from './helpers.ts'

function render(area: HostArea, over: Over = {}, config: ServerConfig = server) {
  const files = renderAccount(account(over), config, [area]).get(area)!.files
  return Object.fromEntries(files.map(({ path, content }) => [path, content]))
}

const zoneOf = (over: Over = {}, config?: ServerConfig) =>
  render('dns', over, config)['etc/bind/panel/zones/bob.example.zone']

test('the rendered text depends only on the state', () => {
  expect(renderAccount(account(), server)).toEqual(renderAccount(account(), server))
})

test('every part is rendered, in the order they are applied', () => {
  expect([...renderAccount(account(), server).keys()]).toEqual([
    'users',
    'limits',
    'php',
    'tls',
    'web',
    'dns',
    'mail',
    'db',
    'ftp',
    'ssh',
    'cron',
    'apps',
  ])
})

describe('rendered dns', () => {
  test('renders a zone with everything that a site and its mail need', () => {
    expect(zoneOf()).toBe(`; panel account 01J00000000000000000000001
$ORIGIN bob.example.
$TTL 3600
@ IN SOA ns1.host.example. hostmaster.bob.example. 2026010101 3600 900 1209600 300
@ IN NS ns1.host.example.
@ IN NS ns2.host.example.
@ IN A 192.0.2.7
@ IN MX 0 mail.bob.example.
@ IN TXT "v=spf1 a mx ip4:192.0.2.7 ~all"
mail IN A 192.0.2.7
www IN A 192.0.2.7
`)
  })

  test('has AAAA records for an IPv6 address', () => {
    expect(zoneOf({ ipAddress: '2001:db8::7' })).toContain('www IN AAAA 2001:db8::7')
    expect(zoneOf({ ipAddress: '2001:db8::7' })).toContain('ip6:2001:db8::7')
  })

  test('has each zone in its own file, and in the list by name', () => {
    const zones = ['z.example', 'a.example'].map((name) => zoneStateOf(name, '192.0.2.7'))
    const files = render('dns', { parts: { dns: { zones } } })
    expect(Object.keys(files)).toEqual([
      'etc/bind/panel/zones/a.example.zone',
      'etc/bind/panel/zones/z.example.zone',
      'etc/bind/panel/zones.d/bob',
    ])
    expect(files['etc/bind/panel/zones.d/bob']!.match(/"[az]\.example"/g)).toEqual(['"a.example"', '"z.example"'])
    expect(render('dns', { parts: { dns: { zones: [] } } })).toEqual({})
  })

  test("signs a zone in a directory writable by named, with the panel's key", () => {
    const dnssec = {
      dnskey: `257 3 13 ${'A'.repeat(86)}==`,
      keyTag: 7,
      privateKey: `${'B'.repeat(43)}=`,
      created: '20260101000000',
    }
    const files = render('dns', { parts: { dns: { zones: [zoneStateOf('bob.example', '192.0.2.7', { dnssec })] } } })
    const stem = 'var/lib/bind/panel/keys/bob.example/Kbob.example.+013+00007'
    expect(Object.keys(files)).toEqual([
      'var/lib/bind/panel/zones/bob.example.zone',
      ...['key', 'private', 'state'].map((ending) => `${stem}.${ending}`),
      'etc/bind/panel/zones.d/bob',
    ])
    expect(files['etc/bind/panel/zones.d/bob']).toBe(
      'zone "bob.example" { type primary; file "/var/lib/bind/panel/zones/bob.example.zone"; dnssec-policy panel; inline-signing yes; key-directory "/var/lib/bind/panel/keys/bob.example"; };\n',
    )
    for (const line of ['KSK: yes', 'ZSK: yes', 'Lifetime: 0']) expect(files[`${stem}.state`]).toContain(`${line}\n`)
    expect(files[`${stem}.key`]).toContain(`bob.example. 3600 IN DNSKEY ${dnssec.dnskey}\n`)
  })

  test('has an entry in the list of zones', () => {
    expect(render('dns')['etc/bind/panel/zones.d/bob']).toBe(
      'zone "bob.example" { type primary; file "/etc/bind/panel/zones/bob.example.zone"; };\n',
    )
  })
})

describe('rendered web', () => {
  const vhost = (over: Over = {}) => render('web', over)['etc/panel/nginx/sites/bob.example.conf']!

  test('serves the site and its PHP, and follows no link to elsewhere', () => {
    expect(vhost()).toContain('server_name bob.example www.bob.example;')
    expect(vhost()).toContain('disable_symlinks if_not_owner from=/home/bob;')
    expect(vhost()).toContain('fastcgi_pass unix:/run/panel-php/bob/8.4-e3b0c44298fc/shared.sock;')
  })

  test('runs cgi-bin only where allowed', () => {
    expect(vhost({ parts: { web: { cgi: true } } })).toContain('fastcgi_pass unix:/run/panel-php/bob/cgi.sock;')
    expect(vhost()).not.toContain('cgi.sock')
  })

  test('never serves the source of PHP that does not run', () => {
    expect(vhost({ parts: { web: { php: false } } })).toContain('location ~ [^/]\\.php(?:/|$) {\n    return 404;')
    expect(Object.keys(render('php', { parts: { php: { children: 0 } } }))).toEqual(['var/lib/panel-php/bob'])
  })

  test('changes only what is served when suspended', () => {
    const both = vhost()
      .split('\n')
      .filter((line) => vhost({ suspended: true }).split('\n').includes(line))
    expect(both.join('\n')).toContain('acme-challenge')
    expect(vhost({ suspended: true })).not.toContain('fastcgi')
  })
})

describe('rendered php', () => {
  test('runs the account’s own master, with its uid, in its home', () => {
    const conf = render('php')['etc/panel/php/8.4-e3b0c44298fc-bob.conf']!
    for (const line of ['user = 20001', 'pm.max_children = 5', 'process_control_timeout = 10s']) {
      expect(conf.split('\n')).toContain(line)
    }
    expect(conf).not.toContain('open_basedir')
    expect(conf).toContain('php_value[session.gc_probability] = 1\n')
  })

  test('has an upper limit if the package has none', () => {
    expect(
      render('php', { parts: { php: { children: undefined } } })['etc/panel/php/8.4-e3b0c44298fc-bob.conf'],
    ).toContain('pm.max_children = 20')
  })
})

describe('rendered mail', () => {
  const maps = (over: Over = {}) => Object.keys(render('mail', over)).map((path) => path.split('/')[3])

  const rolesTo = (recipient: string) =>
    ['abuse', 'hostmaster', 'postmaster'].map((role) => `${role}@bob.example ${recipient}\n`).join('')

  test('accepts mail for a domain that receives it here', () => {
    expect(render('mail')).toMatchObject({
      'etc/panel/mail/domains.d/bob': 'bob.example bob\n',
      'etc/panel/mail/mailboxes.d/bob': 'bob@bob.example bob.example/bob/\n',
      'etc/panel/mail/aliases.d/bob': rolesTo('bob@elsewhere.example'),
      'etc/panel/mail/senders.d/bob': 'bob@bob.example bob@bob.example\n',
      'etc/panel/mail/spam.d/bob': 'bob.example box 6\n',
    })
  })

  test('has a mailbox that nobody can log in to before it has a password', () => {
    expect(render('mail')['etc/panel/mail/passwd.d/bob.example']).toMatch(/\nbob:!:20001:20001::/)
  })

  test('has no domain here for mail received elsewhere, and relays it as a backup', () => {
    const routed = (routing: 'remote' | 'backup') => ({ domains: [mailDomain('bob.example', { routing })] })
    expect(maps({ parts: { mail: routed('remote') } })).toEqual(['senders.d', 'sendertransports.d', 'passwd.d'])
    expect(maps({ parts: { mail: routed('backup') } })).toEqual([
      'relays.d',
      'senders.d',
      'sendertransports.d',
      'passwd.d',
    ])
    expect(maps({ contactEmail: '', parts: { mail: { spamFilter: false } } })).toEqual([
      'domains.d',
      'transports.d',
      'mailboxes.d',
      'aliases.d',
      'senders.d',
      'sendertransports.d',
      'passwd.d',
    ])
  })

  test('has no alias that loops back into the domain', () => {
    const aliases = render('mail', { contactEmail: 'x@BOB.example' })['etc/panel/mail/aliases.d/bob']
    expect(aliases).toBe(rolesTo('bob@bob.example'))
  })
})

test('limits distinguish unlimited from zero', () => {
  expect(
    render('limits', { parts: { limits: { diskMb: 100, inodes: 0, phpChildren: undefined } } })[
      'etc/panel/limits.d/bob'
    ],
  ).toBe('disk_mb=100\ninodes=0\nbandwidth_mb=unlimited\nphp_children=unlimited\nemails_per_hour=unlimited\n')
})

test('the system user is locked while suspended', () => {
  const line = (suspended: boolean) => render('users', { suspended, shell: '/bin/bash' })['etc/panel/users.d/bob']
  expect(line(false)).toBe('bob:x:20001:20001::/home/bob:/bin/bash\n')
  expect(line(true)).toBe('bob:!:20001:20001::/home/bob:/usr/sbin/nologin\n')
})

test('a shared file consists of its fragments in order of name, without staged ones', () => {
  const [carol, bob] = [
    { name: 'carol', content: 'c\n' },
    { name: 'bob', content: 'b\n' },
  ]
  expect(assemble([carol, { name: '.bob.panel-new', content: 'x' }, bob])).toBe('b\nc\n')
  expect(assemble([bob, carol])).toBe('b\nc\n')
  expect(assemble([])).toBe('')
})
