import { FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID } from '../../../shared/account-uids.ts'
import {
  guardTable,
  mailLog,
  mapsDir,
  namesMap,
  programSenders,
  queueDir,
  returnSocket,
  rspamdSocket,
  smtpGuard,
  sockets,
  submitDir,
  submitLists,
} from '../../debian/mail/places.ts'
import {
  destinations,
  forwarding,
  modeOf,
  ownTransport,
  postfixMaps,
  relaySendersMap,
  unverifiedClass,
} from '../../parts/mail/maps.ts'
import { relayServices, serverRelay } from '../../parts/mail/relay.ts'
import { dropTable, tableUnit } from '../nft.ts'
import type { BaseFile, Do, Facts, SetupStep } from '../step.ts'
import { serverCertificate } from './certificate.ts'

const map = (name: string): string => `lmdb:/etc/panel/mail/maps/${name}`
const milters = (own: string): string => `unix:${own},unix:/run/opendkim/opendkim.sock`

/** Only for mail from outside: submissions have milters of their own. Mail goes on while it is down. */
const checked = `smtpd_milters = { unix:${rspamdSocket}, default_action=accept, connect_timeout=5s }
# The score of a message is in the log.
milter_header_checks = regexp:/etc/postfix/panel-milter-headers
`

const MAX_DELIVERIES = 200
const MAX_DELIVERIES_PER_ACCOUNT = 4
/** The agent passes on as many forwarded messages at once. */
const MAX_FORWARDS = 20

/** Rewritten senders take bounces from outside alone, and the agent says which. */
const bouncesClass = 'panel_bounces'
const rewritten = { path: '/etc/postfix/panel-rewritten', content: `/^"?srs[01][-+=].*@/ ${bouncesClass}\n` }
const rewrittenKeys = { path: '/etc/postfix/panel-rewritten-keys', content: '/^("?srs[01][-+=].*@.*)$/ $1\n' }
const ownSenders = (hostname: string): string => `inline:{ {<>=${ownTransport}}, {@${hostname}=${ownTransport}} }`
/** The rewritten senders of domains that have a relay. */
const relaySenders = `regexp:${mapsDir}/${relaySendersMap}`
/** What has the transport of own mail leaves by the server's relay, if it has one. */
const relayed = (maps: string): string =>
  `pipemap:{${maps}, inline:{ {${ownTransport}=${serverRelay}} }, ${map('relaytransports')}}`

const bounceTargets = `panel_bounce_targets =
  pipemap:{regexp:${rewrittenKeys.path}, socketmap:unix:${sockets.bounceTargets.name}:bounces}
`

/** Senders need not announce a message's size. Dovecot 2.3 answers only for recipients. */
const quotaAtEnd = 'smtpd_end_of_data_restrictions = check_policy_service unix:private/quota-status\n'

const main = ({ hostname, spam, suite }: Facts): string => `# Written by \`panel host setup\`.
compatibility_level = 3.6
myhostname = ${hostname}
mydestination =
mynetworks =
inet_interfaces = all
inet_protocols = all
alias_maps =
alias_database =
biff = no
append_dot_mydomain = no
smtputf8_enable = no
disable_vrfy_command = yes
recipient_delimiter = +
smtpd_banner = $myhostname ESMTP
smtpd_forbid_bare_newline = normalize
smtpd_helo_required = yes
message_size_limit = 52428800
mailbox_size_limit = 0
virtual_mailbox_limit = 0
maximal_queue_lifetime = 3d
bounce_queue_lifetime = 1d
# In bytes: mail must not fill the disk of everything else.
queue_minfree = 1073741824
# No message gets the id of an earlier one: what deletes it late hits no other.
enable_long_queue_ids = yes
# What accounts sent and received is counted in it.
maillog_file = ${mailLog}

# Tenants see no queue, and none of them submits while it is suspended or has sent enough.
authorized_mailq_users = root
authorized_flush_users = root
authorized_submit_users = !texthash:/etc/panel/submit/nosubmit, !texthash:/etc/panel/submit/over, static:anyone
local_login_sender_maps = texthash:${programSenders.path}, static:*

virtual_mailbox_domains = ${map('domains')}
virtual_mailbox_maps = ${map('mailboxes')}
virtual_alias_maps = ${map('aliases')}
virtual_transport = lmtp:unix:private/dovecot-lmtp
# A destination for each account: one that holds its own mailboxes' locks holds up no other's mail.
transport_maps = ${map('transports')}
lmtp_destination_concurrency_limit = ${MAX_DELIVERIES_PER_ACCOUNT}
lmtp_data_done_timeout = 60s
relay_domains = ${map('relays')}
# What other senders wrote is forwarded: the agent gives it a sender of the domain that forwards it.
default_transport = ${forwarding}:unix:${sockets.forward.name}
${forwarding}_destination_concurrency_limit = ${MAX_FORWARDS}
# By sender: bounces and forwarded mail never leave by the relay of a domain.
sender_dependent_default_transport_maps =
  ${relayed(relaySenders)}, ${relaySenders},
  ${map('relaytransports')},
  ${relayed(map('sendertransports'))}, ${map('sendertransports')},
  ${relayed(ownSenders(hostname))}, ${ownSenders(hostname)}
relay_recipient_maps =

smtpd_tls_cert_file = ${serverCertificate.certificate}
smtpd_tls_key_file = ${serverCertificate.key}
# By the name that a client asks for.
tls_server_sni_maps = ${map(namesMap)}
smtpd_tls_security_level = may
smtpd_tls_auth_only = yes
# Where TLS is required, passwords are sent.
smtpd_tls_mandatory_protocols = >=TLSv1.2
smtp_tls_security_level = may
smtp_tls_CAfile = /etc/ssl/certs/ca-certificates.crt
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_sender_login_maps = ${map('senders')}

# A domain that is not verified takes no mail: senders to its addresses try again.
smtpd_restriction_classes = ${unverifiedClass}, ${bouncesClass}
${unverifiedClass} = check_policy_service unix:private/panel-unverified,
  check_recipient_access static:{450 4.7.1 The domain is not verified yet; try again later}
${bouncesClass} = check_policy_service
  { unix:${sockets.bounces.name}, {default_action=450 4.3.0 Bounces are not taken now; try again later} }
smtpd_relay_restrictions = check_recipient_access ${map('unverified')}, reject_unauth_destination
smtpd_sender_restrictions = reject_non_fqdn_sender
smtpd_recipient_restrictions =
  reject_non_fqdn_recipient, reject_unauth_destination, check_recipient_access regexp:${rewritten.path},
  reject_unlisted_recipient,
  check_recipient_access ${map('closed')}, check_policy_service unix:private/quota-status
${suite.dovecot === '2.3' ? '' : quotaAtEnd}smtpd_policy_service_default_action = DUNNO
# Where the mail servers of such a domain are this one, its mail waits.
smtp_delivery_status_filter = regexp:/etc/postfix/panel-delivery-status

milter_protocol = 6
${spam ? checked : ''}smtp_header_checks = regexp:/etc/postfix/panel-last-headers
lmtp_header_checks = regexp:/etc/postfix/panel-last-headers
# Bounces hold the headers of what they return.
smtp_nested_header_checks = regexp:/etc/postfix/panel-last-headers
lmtp_nested_header_checks = regexp:/etc/postfix/panel-last-headers
`

/**
 * Forwarded mail comes back: nothing that a seal covers is changed, and its recipients, which have been looked up, are not
 * looked up again.
 */
const forwarded = `${forwarding} unix - - n - - lmtp
  -o syslog_name=postfix/${forwarding}
${returnSocket.name.replace('private/', '')} unix - - n - - smtpd
  -o syslog_name=postfix/${forwarding}
  -o cleanup_service_name=cleanup-forward
  -o mynetworks=127.0.0.0/8
  -o smtpd_client_restrictions=
  -o smtpd_helo_restrictions=
  -o smtpd_sender_restrictions=
  -o smtpd_relay_restrictions=permit_mynetworks,reject
  -o smtpd_recipient_restrictions=
  -o smtpd_data_restrictions=
  -o smtpd_end_of_data_restrictions=
  -o smtpd_milters=
  -o smtpd_tls_security_level=none
  -o local_header_rewrite_clients=
  -o message_size_limit=0
  -o receive_override_options=no_unknown_recipient_checks,no_address_mappings,no_header_body_checks,no_milters
cleanup-forward unix n - n - 0 cleanup
  -o message_size_limit=0
`

/** Signs in over verified TLS alone, by the passwords of its kind. */
const relayService = (name: string, options: readonly string[]): string =>
  [
    `${name} unix - - n - - smtp`,
    'smtp_tls_security_level=secure',
    'smtp_tls_secure_cert_match=nexthop',
    'smtp_sasl_auth_enable=yes',
    'smtp_sasl_mechanism_filter=plain,login',
    'smtp_sasl_security_options=noanonymous',
    'smtp_connection_cache_on_demand=no',
    ...options,
  ].join('\n  -o ')

const bySender = [`smtp_sasl_password_maps=${map('relaypasswords')}`, 'smtp_sender_dependent_authentication=yes']
const ofServer = [`smtp_sasl_password_maps=${map('serverpasswords')}`]
const wrapped = 'smtp_tls_wrappermode=yes'

const relays = [
  relayService(relayServices.sender.starttls, bySender),
  relayService(relayServices.sender.tls, [...bySender, wrapped]),
  relayService(relayServices.server.starttls, ofServer),
  relayService(relayServices.server.tls, [...ofServer, wrapped]),
].join('\n')

const submission = (name: string, port: string, options: readonly string[]): string =>
  [
    `${port} inet n - n - - smtpd`,
    `syslog_name=postfix/${name}`,
    'cleanup_service_name=cleanup-login',
    ...options,
    'smtpd_sasl_auth_enable=yes',
    'smtpd_client_restrictions=',
    'smtpd_helo_restrictions=',
    'smtpd_sender_restrictions=reject_sender_login_mismatch',
    'smtpd_relay_restrictions=permit_sasl_authenticated,reject',
    'smtpd_recipient_restrictions=$panel_login_recipients',
    `smtpd_milters=${milters(sockets.login.name)}`,
  ].join('\n  -o ')

const master = `# Written by \`panel host setup\`.
smtp inet n - n - - smtpd
  -o smtpd_discard_ehlo_keywords=dsn,silent-discard
  -o recipient_canonical_maps=regexp:${rewritten.path}
${submission('submission', 'submission', ['smtpd_tls_security_level=encrypt'])}
${submission('submissions', 'submissions', ['smtpd_tls_wrappermode=yes'])}
pickup unix n - n 60 1 pickup
  -o cleanup_service_name=cleanup-local
cleanup unix n - n - 0 cleanup
  -o header_checks=regexp:/etc/postfix/panel-outside-headers
  -o recipient_canonical_maps=$panel_bounce_targets
${forwarded}cleanup-login unix n - n - 0 cleanup
  -o header_checks=regexp:/etc/postfix/panel-login-headers
cleanup-local unix n - n - 0 cleanup
  -o header_checks=regexp:/etc/postfix/panel-local-headers
  -o non_smtpd_milters=${milters(sockets.program.name)}
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
  -o syslog_name=postfix/relay
${relays}
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - ${MAX_DELIVERIES} lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`

/** For authenticated senders: closed or full mailboxes here refuse their mail like any other. */
const loginRecipients = `panel_login_recipients =
  reject_non_fqdn_recipient, check_recipient_access ${map('closed')},
  check_policy_service unix:private/quota-status, permit_sasl_authenticated, reject
`

// Delivery to oneself is deferred instead of returned.
const loops = '/^5\\.4\\.6 (.*loops back to myself.*)/ 4.4.6 $1\n'

// Drops the panel's own headers from senders' mail.
const own = '/^X-Panel-(Signer|Uid):/ IGNORE\n'
// Of the spam filter's headers, which no sender can add.
const scored = '/^X-Spam-Status: (Yes|No), score=/ INFO\n'

// And those that only our spam filter may add.
const claims = `${own}/^X-Spam(-[A-Za-z]+)?:/ IGNORE\n`
// The mail server hides its first header from milters, but that is the one with the submitter.
const local = `${claims}/^Received: by [^ ]+ \\(Postfix, from userid ([0-9]+)\\)/ PREPEND X-Panel-Uid: \${1}\n`

/** SMTP without a login is not counted, and accepts any sender. */
const guard = `# Written by \`panel host setup\`: programs of accounts hand mail to sendmail, or log in on 465 or 587.
table inet ${guardTable}
delete table inet ${guardTable}
table inet ${guardTable} {
  chain from_here {
    type filter hook output priority -10; policy accept;
    tcp dport 25 meta skuid ${FIRST_ACCOUNT_UID}-${LAST_ACCOUNT_UID} reject with tcp reset
  }
}
`

const guardUnit = tableUnit('Keep programs of accounts off the SMTP ports of mail servers', smtpGuard, guardTable)

const destinationsDir = `${queueDir}/${destinations}`

/** Whether it had to link each digit to its own directory, and `socket` to Dovecot's. */
async function linkDestinations(run: Do): Promise<boolean> {
  const last = `${destinationsDir}/socket`
  const isLinked = await run('/usr/bin/test', ['-h', last]).then(
    () => true,
    () => false,
  )
  if (isLinked) return false
  const link = (target: string, path: string) => run('/usr/bin/ln', ['-sfnT', target, path])
  for (const digit of '0123456789') await link('.', `${destinationsDir}/${digit}`)
  await link('../private/dovecot-lmtp', last)
  return true
}

/** The maps that it opens before there is any account. */
async function prepare(run: Do): Promise<boolean> {
  for (const name of [...postfixMaps, namesMap]) {
    const compiled = await run('/usr/bin/test', ['-e', `${mapsDir}/${name}.lmdb`]).then(
      () => true,
      () => false,
    )
    const ofFiles = name === namesMap ? ['-F'] : []
    if (!compiled) await run('/usr/sbin/postmap', [...ofFiles, `lmdb:${mapsDir}/${name}`])
  }
  return linkDestinations(run)
}

/** Leaves no link in the queue. */
async function undo(run: Do): Promise<void> {
  await dropTable(run, guardTable)
  await run('/usr/bin/rm', ['-rf', destinationsDir])
}

export const postfix: SetupStep = {
  name: 'postfix',
  choice: 'mail',
  packages: () => ['postfix', 'postfix-lmdb', 'libsasl2-modules', 'nftables'],
  answers: ['postfix postfix/main_mailer_type select No configuration'],
  ports: [25, 465, 587].map((port) => ({ port, protocol: 'tcp', of: ['master'] })),
  dirs: [
    { path: mapsDir, mode: 0o750, group: 'postfix' },
    { path: submitDir, mode: 0o755 },
    { path: destinationsDir, mode: 0o755 },
  ],
  files: (facts) => [
    ...postfixMaps.map(
      (name): BaseFile => ({ path: `${mapsDir}/${name}`, content: '', mode: modeOf(name), seed: true }),
    ),
    { path: `${mapsDir}/${namesMap}`, content: '', mode: 0o600, seed: true },
    { path: `${mapsDir}/${relaySendersMap}`, content: '', mode: 0o644, seed: true },
    ...submitLists.map((name): BaseFile => ({ path: `${submitDir}/${name}`, content: '', mode: 0o644, seed: true })),
    { ...programSenders, content: '', seed: true },
    { path: smtpGuard, content: guard, mode: 0o600 },
    { path: '/etc/systemd/system/panel-smtp.service', content: guardUnit, mode: 0o644 },
    { path: '/etc/postfix/main.cf', content: main(facts) + loginRecipients + bounceTargets, mode: 0o644 },
    { path: '/etc/postfix/master.cf', content: master, mode: 0o644 },
    { ...rewritten, mode: 0o644 },
    { ...rewrittenKeys, mode: 0o644 },
    { path: '/etc/postfix/panel-delivery-status', content: loops, mode: 0o644 },
    { path: '/etc/postfix/panel-last-headers', content: own, mode: 0o644 },
    { path: '/etc/postfix/panel-outside-headers', content: claims, mode: 0o644 },
    { path: '/etc/postfix/panel-login-headers', content: claims, mode: 0o644 },
    ...(facts.spam ? [{ path: '/etc/postfix/panel-milter-headers', content: scored, mode: 0o644 }] : []),
    { path: '/etc/postfix/panel-local-headers', content: local, mode: 0o644 },
  ],
  prepare,
  undo,
  check: ['/usr/sbin/postfix', 'check'],
  units: () => [
    { name: 'postfix.service', run: true },
    { name: 'panel-smtp.service', run: true, renew: 'reload' },
  ],
}
