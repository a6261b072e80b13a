import { webmailAddress } from '../../debian/local-clients.ts'
import { dovecotNames } from '../../debian/mail/places.ts'
import { webmailLogins } from '../../debian/programs/places.ts'
import type { Suite } from '../../debian/suite.ts'
import type { BaseFile, SetupStep } from '../step.ts'
import { serverCertificate } from './certificate.ts'

const { certificate, key } = serverCertificate

/** It does not exist, so scripts are compiled at each delivery. */
const noBinaries = '/var/empty/sieve'
const folders = ['Drafts', 'Sent', 'Trash', 'Junk']
  .map((name) => `  mailbox ${name} {\n    special_use = \\${name}\n    auto = subscribe\n  }`)
  .join('\n')

/** Tenants get no socket: Dovecot's own are closed, and Postfix has one in its queue. */
const services = (forEver: string): string => `service auth {
  unix_listener auth-userdb {
    mode = 0660
    group = dovecot
  }
  unix_listener /var/spool/postfix/private/auth {
    mode = 0600
    user = postfix
    group = postfix
  }
}
# With TLS, a process that served one connection alone would stay as long as that: a hundred for everybody.
service imap-login {
  ${forEver}
  process_limit = 10
}
service pop3-login {
  ${forEver}
  process_limit = 10
}
# More than Postfix starts.
service lmtp {
  process_limit = 250
  unix_listener lmtp {
    mode = 0600
  }
  unix_listener /var/spool/postfix/private/dovecot-lmtp {
    mode = 0600
    user = postfix
    group = postfix
  }
}
service indexer {
  unix_listener indexer {
    mode = 0600
  }
}
service imap-urlauth-login {
  unix_listener imap-urlauth {
    mode = 0600
  }
}
service dns-client {
  unix_listener dns-client {
    mode = 0600
  }
}
service quota-status {
  executable = quota-status -p postfix
  client_limit = 1
  unix_listener /var/spool/postfix/private/quota-status {
    mode = 0600
    user = postfix
    group = postfix
  }
}
namespace inbox {
  inbox = yes
${folders}
}
`

/** A character for each byte that UTF-8 uses beyond ASCII: Dovecot compares bytes. */
const utf8 = [
  ...Array.from({ length: 30 }, (_, lead) => 0x80 + lead * 0x40),
  ...Array.from({ length: 16 }, (_, lead) => (lead === 0 ? 0x0800 : lead * 0x1000)),
  ...Array.from({ length: 5 }, (_, lead) => 0x10000 + lead * 0x40000),
  ...Array.from({ length: 64 }, (_, rest) => 0xc0 + rest),
]
  .filter((code) => (code < 0xd800 || code > 0xdfff) && code <= 0x10ffff)
  .map((code) => String.fromCodePoint(code))

/** Those of addresses here, and domains as people write them; never a slash, since the domain names a file. */
const usernameCharacters = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.@_'&=~-${utf8.join('')}`

const common = `protocols = imap pop3 lmtp
listen = *, ::
ssl = required
auth_mechanisms = plain login
auth_username_chars = ${usernameCharacters}
# Webmail says who asks: wrong passwords then slow down that address alone.
login_trusted_networks = ${webmailAddress}
first_valid_uid = 20000
last_valid_uid = 59999
first_valid_gid = 20000
last_valid_gid = 59999
recipient_delimiter = +
# Owners can hold the locks of their mailboxes.
mail_max_lock_timeout = 10s
# A new certificate ends no session.
shutdown_clients = no
`

const status =
  'quota_status_success = DUNNO\nquota_status_nouser = DUNNO\nquota_status_overquota = "552 5.2.2 Mailbox is full"\nquota_status_toolarge = "552 5.2.2 Mailbox is full"\n'

/** The certificates of accounts' names. */
const names = `!include_try ${dovecotNames}\n`

const until23 = `${common}ssl_cert = <${certificate}
ssl_key = <${key}
disable_plaintext_auth = yes
mail_location = maildir:~/Maildir
passdb {
  driver = passwd-file
  args = scheme=SHA512-CRYPT /etc/panel/mail/once
}
passdb {
  driver = passwd-file
  args = scheme=SHA512-CRYPT ${webmailLogins}
}
passdb {
  driver = passwd-file
  args = scheme=SHA512-CRYPT username_format=%Ln /etc/panel/mail/passwd.d/%Ld
}
userdb {
  driver = passwd-file
  args = username_format=%Ln /etc/panel/mail/passwd.d/%Ld
}
# Of messages that came from elsewhere some are compressed.
mail_plugins = quota zlib
protocol imap {
  mail_plugins = quota zlib imap_quota
}
# Postfix asks before it accepts a message; refusing it later would send a bounce to a sender that may be forged.
protocol lmtp {
  mail_plugins = sieve
}
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_grace = 0
  ${status.trim().replaceAll('\n', '\n  ')}
  # Compiled scripts are trusted when they are read, by a process that began as root: none comes from a home.
  sieve = file:~/sieve;active=~/.dovecot.sieve;bindir=${noBinaries}
  # Scripts of the panel's own take away what the filter says of spam.
  sieve_global_extensions = +editheader
  # What a script passes on goes out under an address of its account.
  sieve_redirect_envelope_from = recipient
}
${services('service_count = 0')}${names}`

const since24 = `dovecot_config_version = 2.4.1
dovecot_storage_version = 2.4.1
${common}ssl_server_cert_file = ${certificate}
ssl_server_key_file = ${key}
auth_allow_cleartext = no
# Passwords that came from elsewhere, as Dovecot 2.3 takes them: MD5 of crypt(3).
auth_allow_weak_schemes = yes
mail_driver = maildir
mail_path = ~/Maildir
passdb once {
  driver = passwd-file
  passwd_file_path = /etc/panel/mail/once
  default_password_scheme = SHA512-CRYPT
}
passdb webmail {
  driver = passwd-file
  passwd_file_path = ${webmailLogins}
  default_password_scheme = SHA512-CRYPT
}
passdb panel {
  driver = passwd-file
  passwd_file_path = /etc/panel/mail/passwd.d/%{user | domain | lower}
  auth_username_format = %{user | username | lower}
  default_password_scheme = SHA512-CRYPT
}
userdb panel {
  driver = passwd-file
  passwd_file_path = /etc/panel/mail/passwd.d/%{user | domain | lower}
  auth_username_format = %{user | username | lower}
}
# Of messages that came from elsewhere some are compressed.
mail_plugins {
  quota = yes
  mail_compress = yes
}
protocol imap {
  mail_plugins {
    imap_quota = yes
  }
}
# Postfix asks before it accepts a message; refusing it later would send a bounce to a sender that may be forged.
protocol lmtp {
  mail_plugins {
    quota = no
    sieve = yes
  }
}
quota "User quota" {
  driver = count
}
quota_storage_grace = 0
${status}# What a script passes on goes out under an address of its account.
sieve_redirect_envelope_from = recipient
# Scripts of the panel's own take away what the filter says of spam.
sieve_global_extensions {
  editheader = yes
}
# Of a mailbox that has one, its own line says where it is.
# Those of one type go by their names: what is put aside is not answered.
sieve_script aside {
  type = before
  driver = file
  path = /etc/panel/mail/sieve.d/none.sieve
}
sieve_script panel {
  type = before
  driver = file
  path = /etc/panel/mail/sieve.d/none.sieve
}
# Compiled scripts are trusted when they are read, by a process that began as root: none comes from a home.
sieve_script personal {
  driver = file
  path = ~/sieve
  active_path = ~/.dovecot.sieve
  bin_path = ${noBinaries}
}
${services('restart_request_count = unlimited')}${names}`

const configuration = ({ dovecot }: Suite): string =>
  `# Written by \`panel host setup\`.\n${dovecot === '2.3' ? until23 : since24}`

/** With a certificate that is missing it would not start; the agent writes the file anew. */
const start = `# Written by \`panel host setup\`.
[Service]
ExecStartPre=-+/bin/sh -c 'sed -n "s/^  [a-z_]* = <*//p" ${dovecotNames} | while read -r file; do [ -s "$$file" ] || { rm -f ${dovecotNames}; exit; }; done'
`

export const dovecot: SetupStep = {
  name: 'dovecot',
  choice: 'mail',
  packages: () => ['core', 'imapd', 'pop3d', 'lmtpd', 'sieve'].map((name) => `dovecot-${name}`),
  ports: [110, 143, 993, 995].map((port) => ({ port, protocol: 'tcp', of: ['dovecot'] })),
  files: ({ suite }) => [
    { path: '/etc/dovecot/dovecot.conf', content: configuration(suite), mode: 0o644 },
    { path: '/etc/systemd/system/dovecot.service.d/panel.conf', content: start, mode: 0o644 },
    { path: dovecotNames, content: '', mode: 0o600, seed: true },
    ...['/etc/panel/mail/once', webmailLogins].map(
      (path): BaseFile => ({ path, content: '', mode: 0o640, group: 'dovecot', seed: true }),
    ),
  ],
  check: ['/usr/bin/doveconf', '-n'],
  units: () => [{ name: 'dovecot.service', run: true }],
}
