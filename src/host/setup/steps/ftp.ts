import { banTable, delayTable, ftpFolder, ftpLists, scoreboard, transferLog } from '../../debian/ftp/places.ts'
import type { BaseFile, Do, Facts, SetupStep } from '../step.ts'
import { serverCertificate } from './certificate.ts'

const { certificate, key } = serverCertificate
const hostKeys = ['rsa', 'ed25519'].map((type) => ({ type, path: `/etc/panel/ftp/host_${type}` }))

/** Where passive transfers listen: below the first port that accounts may listen on. See the step `ports`. */
export const passivePorts = { first: 6600, last: 7599 }

/** Some are built in, depending on the release. */
const modules = ['ls', 'xfer', 'tls', 'sftp', 'ban', 'ifsession']

/** Each server has bans of its own. */
const localIsNotBanned = '<IfClass local>\n  BanEngine off\n</IfClass>'

/** What strangers speak to has no rights until they have logged in. */
const session = '  User proftpd\n  Group nogroup'

/**
 * The ports of passive transfers need a capability after the log-in, too. `RootRevoke` would take it from use; without, a
 * session has this one alone.
 */
const mayListen = `  RootRevoke off
  <IfModule mod_cap.c>
    CapabilitiesSet -CAP_CHOWN -CAP_SETUID
  </IfModule>`

const configuration = ({ hostname }: Facts): string => `# Written by \`panel host setup\`.
ModulePath /usr/lib/proftpd
${modules.map((name) => `<IfModule !mod_${name}.c>\n  LoadModule mod_${name}.c\n</IfModule>`).join('\n')}

ServerName "${hostname}"
ServerType standalone
ServerIdent on "FTP"
UseReverseDNS off
UseIPv6 on
# The main server only starts the two below, as root: an account's program cannot listen on ports that root alone may have.
Port 0
MaxInstances 200
ControlsEngine off
WtmpLog off
ScoreboardFile ${scoreboard}
<IfModule mod_delay.c>
  DelayTable ${delayTable}
</IfModule>

<Global>
  Umask 022 022
  TimeoutLogin 60
  TimeoutIdle 900
  TimeoutNoTransfer 900
  TimeoutStalled 600
  PassivePorts ${passivePorts.first} ${passivePorts.last}
  TransferLog ${transferLog}
  AuthOrder mod_auth_file.c
  RequireValidShell off
  DefaultRoot ~
  AllowChrootSymlinks off
  AllowOverwrite on
  AllowStoreRestart on
  MaxLoginAttempts 3
  RootLogin off
  <Limit SITE_CHMOD>
    AllowAll
  </Limit>
</Global>

# Against guessing passwords slowly: who guesses fast is banned by the agent. The machine's own programs share its address: their connections are limited by user.
<Class local>
  From 127.0.0.0/8 ::1
</Class>
BanEngine on
BanTable ${banTable}
BanOnEvent ClientConnectRate 30/00:01:00 00:10:00
BanOnEvent MaxLoginAttempts 6/00:10:00 00:30:00

<VirtualHost 0.0.0.0 ::>
  Port 21
${session}
${mayListen}
  DefaultServer on
  AuthUserFile ${ftpLists.ftp}
  <IfModule mod_tls.c>
    TLSEngine on
    TLSRequired off
    TLSProtocol TLSv1.2 TLSv1.3
    TLSECCertificateFile ${certificate}
    TLSECCertificateKeyFile ${key}
    TLSVerifyClient off
    TLSOptions NoSessionReuseRequired
  </IfModule>
${localIsNotBanned.replaceAll(/^/gm, '  ')}
</VirtualHost>

# Its logins all have the home for their root: it would follow a link to any other.
<VirtualHost 0.0.0.0 ::>
  Port 2222
${session}
  AuthUserFile ${ftpLists.sftp}
  <IfModule mod_tls.c>
    TLSEngine off
  </IfModule>
  SFTPEngine on
${hostKeys.map(({ path }) => `  SFTPHostKey ${path}`).join('\n')}
  SFTPAuthMethods password
${localIsNotBanned.replaceAll(/^/gm, '  ')}
</VirtualHost>
`

/** Its bans are in memory that everybody may write. */
const ownMemory = `# Written by \`panel host setup\`: its table of bans is not for hosted accounts, nor are the files that it locks.
[Service]
PrivateIPC=yes
RuntimeDirectory=panel-ftp
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
`

/** Host keys of its own: sshd may not be installed. */
async function prepare(run: Do): Promise<boolean> {
  let made = false
  for (const { type, path } of hostKeys) {
    const isThere = await run('/usr/bin/test', ['-s', path]).then(
      () => true,
      () => false,
    )
    if (isThere) continue
    await run('/usr/bin/ssh-keygen', ['-q', '-t', type, '-N', '', '-C', '', '-m', 'PEM', '-f', path])
    made = true
  }
  return made
}

export const ftp: SetupStep = {
  name: 'proftpd',
  choice: 'ftp',
  packages: () => ['proftpd-core', 'proftpd-mod-crypto', 'openssh-client'],
  ports: [21, 2222].map((port) => ({ port, protocol: 'tcp', of: ['proftpd'] })),
  dirs: [{ path: ftpFolder, mode: 0o700 }],
  files: (facts) => [
    { path: '/etc/proftpd/proftpd.conf', content: configuration(facts), mode: 0o644 },
    { path: '/etc/systemd/system/proftpd.service.d/panel.conf', content: ownMemory, mode: 0o644 },
    ...Object.values(ftpLists).map((path): BaseFile => ({ path, content: '', mode: 0o600, seed: true })),
  ],
  prepare,
  // It makes its table of bans, too: not where all users see it.
  advice: `firewalls must let in TCP ports ${passivePorts.first} to ${passivePorts.last}, for passive FTP`,
  check: ['/usr/bin/unshare', '--ipc', '/usr/sbin/proftpd', '-t'],
  units: () => [{ name: 'proftpd.service', run: true }],
}
