import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { apache } from '../../src/host/setup/steps/apache.ts'
import { cgi } from '../../src/host/setup/steps/cgi.ts'
import { dovecot } from '../../src/host/setup/steps/dovecot.ts'
import { ftp } from '../../src/host/setup/steps/ftp.ts'
import { localClients } from '../../src/host/setup/steps/local-clients.ts'
import { nginx } from '../../src/host/setup/steps/nginx.ts'
import { php } from '../../src/host/setup/steps/php.ts'
import { ports } from '../../src/host/setup/steps/ports.ts'
import { postfix } from '../../src/host/setup/steps/postfix.ts'
import { phpmyadmin } from '../../src/host/setup/steps/programs/phpmyadmin.ts'
import { webmail } from '../../src/host/setup/steps/programs/webmail.ts'
import { rspamd } from '../../src/host/setup/steps/rspamd.ts'
import { sockets } from '../../src/host/setup/steps/sockets.ts'
import { bench, facts } from './context.ts'

const textOf = (step: SetupStep, end: string, of = facts): string => {
  const { content } = step.files!(of).find(({ path }) => path.endsWith(end))!
  return content as string
}

test.each([
  ['panel-cgi@.service', cgi],
  ['panel-phpmyadmin.service', phpmyadmin],
  ['panel-webmail.service', webmail],
])('%s starts again however it has ended', (unit, step) => {
  expect(textOf(step, unit)).toContain('\nRestart=always\n')
})

test.each([
  ['panel-php-.service.d/panel.conf', php],
  ['panel-cgi@.service', cgi],
])('limits the size of every place for temporary files in %s, and closes the journal', (unit, step) => {
  const text = textOf(step, unit)
  for (const place of ['/tmp', '/var/tmp', '/dev/shm', '/run/lock', '/var/lib/php/sessions'])
    expect(text).toMatch(new RegExp(`^TemporaryFileSystem=(?:.* )?${place}:\\S*,size=\\d+m,nr_inodes=\\d+k`, 'm'))
  expect(text).toMatch(/^InaccessiblePaths=(?:.* )?-\/run\/systemd\/journal/m)
  expect(text).toMatch(/^LimitCORE=0$/m)
  expect(text).not.toContain('PrivateTmp')
})

test('Postfix asks for room again at the end of a message, and requires today’s TLS where passwords travel', () => {
  const main = textOf(postfix, 'main.cf')
  const ofStatus = '\nsmtpd_end_of_data_restrictions = check_policy_service unix:private/quota-status\n'
  expect(main).toContain(ofStatus)
  const older = { ...facts, suite: { ...facts.suite, dovecot: '2.3' as const } }
  expect(textOf(postfix, 'main.cf', older)).not.toContain('end_of_data')
  expect(main).toContain('\nsmtpd_tls_mandatory_protocols = >=TLSv1.2\n')
  expect(main).toContain('\nqueue_minfree = 1073741824\n')
})

test('Postfix forwards by the agent what no domain here has sent, and takes nothing for rewritten senders without it', () => {
  const main = textOf(postfix, 'main.cf')
  const rewritten = 'regexp:/etc/panel/mail/maps/relaysenders'
  const [senders, relays] = ['sender', 'relay'].map((of) => `lmdb:/etc/panel/mail/maps/${of}transports`)
  const own = 'inline:{ {<>=smtp:}, {@host.example=smtp:} }'
  expect(main).toContain(`default_transport = forward:unix:private/panel-forward
forward_destination_concurrency_limit = 20
# By sender: bounces and forwarded mail never leave by the relay of a domain.
sender_dependent_default_transport_maps =
  pipemap:{${rewritten}, inline:{ {smtp:=server} }, ${relays}}, ${rewritten},
  ${relays},
  pipemap:{${senders}, inline:{ {smtp:=server} }, ${relays}}, ${senders},
  pipemap:{${own}, inline:{ {smtp:=server} }, ${relays}}, ${own}
`)
  expect(main).toContain(`panel_bounces = check_policy_service
  { unix:private/panel-bounces, {default_action=450 4.3.0 Bounces are not taken now; try again later} }
`)
  const master = textOf(postfix, 'master.cf')
  const [, back] = /\n(panel-return unix - - n - - smtpd\n(?: .*\n)+)/.exec(master)!
  expect(back).toContain('no_address_mappings,no_header_body_checks,no_milters')
  expect(back).toContain('-o local_header_rewrite_clients=\n')
  // A sender cannot name the address that its message was forwarded from.
  expect(master).toMatch(/^smtp inet n - n - - smtpd\n {2}-o smtpd_discard_ehlo_keywords=dsn,silent-discard\n/m)
})

test('rspamd seals what the agent names, by keys that it reads as one of their group', () => {
  expect(textOf(rspamd, 'local.d/arc.conf')).toContain('return rspamd_maps.panel_seal(task)')
  expect(textOf(rspamd, 'local.d/rspamd.lua')).toContain('url = "/etc/panel/mail/dkim/seals"')
  expect(textOf(rspamd, 'rspamd.service.d/panel.conf')).toContain('\nSupplementaryGroups=postfix opendkim\n')
})

test.each(['2.3', '2.4'] as const)('Dovecot %s delivers what was accepted', (version) => {
  const text = textOf(dovecot, 'dovecot.conf', { ...facts, suite: { ...facts.suite, dovecot: version } })
  const [, lmtp] = /\nprotocol lmtp \{\n([\s\S]*?)\n\}/.exec(text)!
  expect(lmtp).toBe(
    version === '2.3' ? '  mail_plugins = sieve' : '  mail_plugins {\n    quota = no\n    sieve = yes\n  }',
  )
})

test('FTP and SFTP ban who guesses, but not the address that all programs here share', () => {
  const text = textOf(ftp, 'proftpd.conf')
  expect(text).toContain(`BanEngine on
BanTable /run/panel-ftp/bans
BanOnEvent ClientConnectRate 30/00:01:00 00:10:00
BanOnEvent MaxLoginAttempts 6/00:10:00 00:30:00
`)
  expect(text.split('  <IfClass local>\n    BanEngine off\n  </IfClass>\n</VirtualHost>')).toHaveLength(3)
})

test('passive FTP has ports that no account can listen on, and setup names them where it changes them', async () => {
  expect(textOf(ftp, 'proftpd.conf')).toContain('\n  PassivePorts 6600 7599\n')
  const lowest = { ...facts, port: 443, nodePort: 444 }
  expect(textOf(ports, 'panel-ports.conf', lowest)).toContain('net.ipv4.ip_unprivileged_port_start = 7600')
  const context = bench((command) => (command.includes('UnitFileState') ? 'enabled' : 'active'))
  await applyStep(context, { ...ftp, prepare: async () => false }, facts)
  expect(context.output).toEqual(['proftpd: firewalls must let in TCP ports 6600 to 7599, for passive FTP'])
  const second = context.again()
  await applyStep(second, { ...ftp, prepare: async () => false }, facts)
  expect(second.output).toEqual([])
})

const settled = (command: string) => (command.includes('UnitFileState') ? 'enabled' : 'active')
const inContainer = (command: string) =>
  command.endsWith('-n net.ipv4.tcp_max_orphans') ? undefined : settled(command)

test.each([
  ['of its own', settled, ['tcp_max_tw_buckets=16384', 'tcp_max_orphans=8192']],
  ['of the host of a container', inContainer, ['tcp_max_tw_buckets=16384']],
])('limits the connections that no program has any more, in a kernel %s', async (_, answers, values) => {
  const context = bench(answers)
  await applyStep(context, sockets, facts)
  expect(context.ran.filter((command) => command.includes('sysctl -q'))).toEqual(
    values.map((value) => `/usr/sbin/sysctl -q -w net.ipv4.${value}`),
  )
})

test('the kernel limits the sockets of accounts, and nftables what has none', () => {
  expect(textOf(sockets, 'limit-sockets.py')).toContain(
    '\nMAX_SOCKETS, MAX_SOCKETS_OF_ALL, MAX_SOCKETS_THEN = 1000, 14000, 100\n',
  )
  expect(textOf(sockets, 'modprobe.d/panel-sockets.conf')).toMatch(
    /^install rxrpc \/bin\/false\ninstall smc \/bin\/false$/m,
  )
  const table = textOf(localClients, 'local.nft')
  const opens = 'tcp dport 32768-65535 tcp flags & (syn | ack) == syn'
  expect(table).toContain(
    `meta skuid 20000-59999 oifname "lo" ${opens} update @rates { meta skuid limit rate over 100/second burst 200 packets } reject`,
  )
  expect(table).toContain(`${opens} limit rate over 100/second burst 200 packets drop`)
})

test('nginx has connections for all, and a machine that has more keeps them', () => {
  const { content } = nginx.files!(facts).find(({ path }) => path === '/etc/nginx/nginx.conf')!
  const write = content as (found: string) => string
  const debian = 'user www-data;\n\nevents {\n\tworker_connections 768;\n}\n'
  const raised = 'user www-data;\n\nworker_rlimit_nofile 32768;\n\nevents {\n\tworker_connections 16384;\n}\n'
  expect([write(debian), write(raised)]).toEqual([raised, raised])
  const own = 'worker_rlimit_nofile 90000;\nevents { worker_connections 40000; }\n'
  expect(write(own)).toBe(own)
})

test('the kernel remembers connections within the machine only where they are counted', () => {
  const table = textOf(localClients, 'local.nft')
  const [, untracked] = /chain untracked \{\n([\s\S]*?)\n {2}\}/.exec(table)!
  const ports = '{ 21, 22, 80, 110, 143, 443, 465, 587, 993, 995, 2222, 3306 }'
  expect(untracked!.split('\n').map((line) => line.trim())).toEqual([
    'type filter hook output priority raw; policy accept;',
    'oifname != "lo" accept',
    `tcp dport ${ports} accept`,
    'meta skuid 20000-59999 notrack',
    `tcp sport ${ports} accept`,
    'notrack',
  ])
  for (const count of ['@web { meta skuid ct count over 80 }', '@outside { meta skuid ct count over 2000 }'])
    expect(table).toContain(`ct state new add ${count} reject`)
})

test.each(['2.3', '2.4'] as const)(
  'with Dovecot %s a lock holds up nobody for long, nor any other account',
  (version) => {
    const of = { ...facts, suite: { ...facts.suite, dovecot: version } }
    expect(textOf(dovecot, 'dovecot.conf', of)).toContain('\nmail_max_lock_timeout = 10s\n')
    const main = textOf(postfix, 'main.cf', of)
    expect(main).toContain('\ntransport_maps = lmdb:/etc/panel/mail/maps/transports\n')
    expect(main).toContain('\nlmtp_destination_concurrency_limit = 4\nlmtp_data_done_timeout = 60s\n')
  },
)

test('ProFTPD locks only files that no account can open', () => {
  const text = textOf(ftp, 'proftpd.conf')
  for (const name of ['ScoreboardFile', 'DelayTable', 'BanTable'])
    expect(text).toMatch(new RegExp(`^ *${name} /run/panel-ftp/`, 'm'))
  expect(textOf(ftp, 'proftpd.service.d/panel.conf')).toContain(
    '\nRuntimeDirectory=panel-ftp\nRuntimeDirectoryMode=0700\n',
  )
  expect(ftp.dirs).toEqual([{ path: '/run/panel-ftp', mode: 0o700 }])
})

test("ProFTPD's table of bans is in memory of its own, also when its configuration is checked", () => {
  expect(textOf(ftp, 'proftpd.service.d/panel.conf')).toMatch(/^\[Service\]\nPrivateIPC=yes$/m)
  expect(ftp.check?.slice(0, 3)).toEqual(['/usr/bin/unshare', '--ipc', '/usr/sbin/proftpd'])
})

test("nothing of Apache's unit runs as the account with a descriptor of its log", () => {
  const text = textOf(apache, 'panel-apache-.service.d/panel.conf')
  const commands = text.match(/^Exec\w+=.+$/gm)!
  expect(commands.map((line) => line.replace(/^(\w+=!).*/, '$1'))).toEqual([
    'ExecStart=!',
    'ExecStartPost=!',
    'ExecReload=!',
  ])
})
