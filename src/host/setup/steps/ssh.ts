import { accountSockets, serverSockets, sqlGroup } from '../../debian/db/sockets.ts'
import { accountPath } from '../../debian/php/command.ts'
import { accountTerminals, machineTerminals, terminalsUnit } from '../../debian/terminals.ts'
import { sshGroup } from '../../debian/users.ts'
import type { Facts, SetupStep } from '../step.ts'

const sshd = `# Written by \`panel host setup\`: hosted accounts log in by the keys that panel knows, and by nothing else.
# Connections that do not log in take no address more than ten of the places, and those for half a minute.
MaxStartups 150:30:300
PerSourceMaxStartups 10
PerSourceNetBlockSize 32:64
LoginGraceTime 30
Match Group ${sshGroup}
    AuthorizedKeysFile /etc/panel/ssh/keys/%u
    AuthenticationMethods publickey
    PasswordAuthentication no
    KbdInteractiveAuthentication no
    AllowAgentForwarding no
    AllowTcpForwarding no
    AllowStreamLocalForwarding no
    PermitTunnel no
    PermitUserRC no
    SetEnv PATH=${accountPath}
    X11Forwarding no
`

const namespaces = `# Written by \`panel host setup\`: see /etc/pam.d/sshd.
/tmp /tmp tmpfs:mntopts=nosuid,nodev,mode=1777,size=256m,nr_inodes=16k
/var/tmp /var/tmp tmpfs:mntopts=nosuid,nodev,mode=1777,size=256m,nr_inodes=16k
/dev/shm /dev/shm tmpfs:mntopts=nosuid,nodev,mode=1777,size=64m,nr_inodes=4k
/run/lock /run/lock tmpfs:mntopts=nosuid,nodev,noexec,mode=1777,size=1m,nr_inodes=1k
/var/lib/php/sessions /var/lib/php/sessions tmpfs:mntopts=nosuid,nodev,noexec,mode=1733,size=1m,nr_inodes=1k
/run/systemd/sessions /run/systemd/sessions tmpfs:mntopts=nosuid,nodev,noexec,mode=0755,size=4k
/run/systemd/journal /run/systemd/journal tmpfs:mntopts=nosuid,nodev,noexec,mode=0755,size=4k
/run/systemd/users /run/systemd/users tmpfs:mntopts=nosuid,nodev,noexec,mode=0755,size=4k
${machineTerminals} ${accountTerminals}/ user
`

/** The account's own way to MariaDB, in place of everybody's: also while there is none. */
const databases = `${serverSockets} ${accountSockets}/ user:create=0750,mysql,${sqlGroup}
`

const privateFolders = ({ without }: Facts): string => `${namespaces}${without.has('mysql') ? '' : databases}`

/** Records of who was logged in, when and from where. Debian 13 no longer keeps any of them. */
const logins = `# Written by \`panel host setup\`: not for hosted accounts.
z /run/utmp 0660 root utmp
z /var/log/wtmp 0660 root utmp
z /var/log/lastlog 0660 root utmp
`
const loginsFile = '/etc/tmpfiles.d/panel-logins.conf'

/** POSIX queues of all sessions share /dev/mqueue: accounts may not create any. Nor core dumps, which fill disks. */
const limits = `# Written by \`panel host setup\`.
@${sshGroup} hard msgqueue 0
@${sshGroup} hard core 0
`

const begin = '# panel: sessions of hosted accounts have directories and terminals of their own'
const skipsOthers = `session [success=ignore default=1] pam_succeed_if.so quiet user ingroup ${sshGroup}`
/** They are mounted outside of the session's namespace, for all sessions of the account. If that fails, it has none. */
const mountTerminals = `test $PAM_TYPE = close_session || exec /usr/bin/systemctl start ${terminalsUnit('$PAM_USER')}`
/** Root runs it with PAM's environment, so it comes before all that may put a user's variables there. */
const firstPam = `${begin}
${skipsOthers}
session optional pam_exec.so quiet /bin/sh -c [${mountTerminals}]
`
const lastPam = `${begin}
${skipsOthers}
session required pam_namespace.so
`
/** What this or an earlier version has added. */
const added =
  /\n*# panel: sessions of hosted accounts .*\n(?:session (?:\[success=ignore default=\d\] pam_succeed_if\.so quiet user ingroup|optional pam_exec\.so quiet \/bin\/sh -c \[test \$PAM_TYPE|required pam_namespace\.so).*\n)*/g
/** Debian 12 has root read `~/.pam_environment`, and wait for it if it is a pipe. */
const readsVariables = / user_readenv=1\b/g

/** Users in the group root, like the agent, can see all of them. */
const ownProcesses = `# Written by \`panel host setup\`.
[Unit]
Description=Show users their own processes alone
DefaultDependencies=no
After=local-fs.target
Before=multi-user.target ssh.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/mount -o remount,hidepid=2 /proc

[Install]
WantedBy=multi-user.target
`

/** PID 1 and logind tell every user about everyone's processes and sessions, with their arguments and addresses. */
const noBus = `<!-- Written by \`panel host setup\`: hosted accounts do not connect to the system bus. -->
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <policy context="mandatory">
    <deny group="${sshGroup}"/>
  </policy>
</busconfig>
`

/**
 * D-Bus counts connections that have not said who they are for all users together. PID 1 itself answers the others.
 * Root passes, and so do the service managers that run as root.
 */
const sockets = `# Written by \`panel host setup\`: not for hosted accounts.
a+ /run/dbus/system_bus_socket - - - - group:${sshGroup}:---
a+ /run/systemd/notify - - - - group:${sshGroup}:---
a+ /run/systemd/io.* - - - - group:${sshGroup}:---
a+ /run/systemd/userdb/* - - - - group:${sshGroup}:---
`
const socketsFile = '/etc/tmpfiles.d/panel-sockets.conf'

/** The socket is made after the files of tmpfiles.d, and anew when its unit starts again. */
const busSocket = `# Written by \`panel host setup\`: see ${socketsFile}.
[Socket]
ExecStartPost=-/usr/bin/systemd-tmpfiles --create ${socketsFile}
`

/** It would run commands outside the session: with the shared directories for temporary files, and after its end. */
const noManager = `# Written by \`panel host setup\`: hosted accounts have no service manager of their own.
[Service]
ExecCondition=/bin/sh -c 'case " $$(id -nG) " in *" ${sshGroup} "*) exit 1;; esac'
`

/** On Debian 13, sshd also listens there from the next boot on, where every user could reach it, past any firewall. */
const localSocket = `# Written by \`panel host setup\`: not for hosted accounts.
[Socket]
SocketMode=0600
`

function withNamespaces(found: string): string {
  const rest = found.replaceAll(added, '\n').replaceAll(readsVariables, '').trim()
  return `${firstPam}${rest}${rest === '' ? '' : '\n'}${lastPam}`
}

/** What sessions of tenants are expected to have, and minimal images lack. */
const tools = ['less', 'nano', 'unzip', 'zip']

/** Accounts log in by key, in a slice of their user. */
export const ssh: SetupStep = {
  name: 'ssh',
  packages: () => ['openssh-server', 'libpam-systemd', ...tools],
  ports: [{ port: 22, protocol: 'tcp', of: ['sshd', 'systemd'] }],
  // Its checker needs the directory that its unit creates.
  dirs: [{ path: '/run/sshd', mode: 0o755 }],
  files: (facts) => [
    { path: '/etc/ssh/sshd_config.d/50-panel.conf', content: sshd, mode: 0o644 },
    { path: '/etc/security/namespace.d/panel.conf', content: privateFolders(facts), mode: 0o644 },
    { path: '/etc/security/limits.d/panel.conf', content: limits, mode: 0o644 },
    { path: '/etc/systemd/system/panel-proc.service', content: ownProcesses, mode: 0o644 },
    { path: '/etc/systemd/system/user@.service.d/panel.conf', content: noManager, mode: 0o644 },
    { path: '/etc/systemd/system/sshd-unix-local.socket.d/panel.conf', content: localSocket, mode: 0o644 },
    { path: '/etc/dbus-1/system.d/panel.conf', content: noBus, mode: 0o644 },
    { path: loginsFile, content: logins, mode: 0o644 },
    { path: socketsFile, content: sockets, mode: 0o644 },
    { path: '/etc/systemd/system/dbus.socket.d/panel.conf', content: busSocket, mode: 0o644 },
    { path: '/etc/pam.d/sshd', content: withNamespaces, mode: 0o644 },
    // Tenants have no crontab(1): panel runs their commands.
    { path: '/etc/cron.allow', content: 'root\n', mode: 0o644 },
    { path: '/etc/at.allow', content: 'root\n', mode: 0o644 },
  ],
  prepare: async (run) => {
    await run('/usr/bin/systemd-tmpfiles', ['--create', loginsFile])
    const isThere = await run('/usr/bin/getent', ['group', sshGroup]).catch(() => '')
    if (!isThere) await run('/usr/sbin/groupadd', ['--system', sshGroup])
    await run('/usr/bin/systemd-tmpfiles', ['--create', socketsFile])
    return !isThere
  },
  undo: async (run) => {
    await run('/usr/bin/mount', ['-o', 'remount,hidepid=0', '/proc']).catch(() => {})
    await run('/usr/sbin/groupdel', [sshGroup]).catch(() => {})
  },
  check: ['/usr/sbin/sshd', '-t'],
  units: () => [
    { name: 'ssh.service', run: true, renew: 'reload', keeps: true },
    { name: 'panel-proc.service', run: true },
    // It caches the group ids from when it read its configuration.
    { name: 'dbus.service', run: true, renew: 'reload', keeps: true },
    // A pattern, as Debian 12 has no such unit.
    { name: 'sshd-unix-local*.socket', run: 'as-it-is' },
  ],
}
