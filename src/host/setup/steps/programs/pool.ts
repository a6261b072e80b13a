import type { ProgramName } from '../../../contract/programs.ts'
import { programPlaces } from '../../../debian/programs/places.ts'
import { phpFpm } from '../../../debian/suite.ts'
import type { BaseFile, Do, Facts } from '../../step.ts'
import { phpSandbox } from '../php-sandbox.ts'

const header = '# Written by `panel host setup`.\n'

/** The directories of a program's own files; its sessions hold logins. */
const folders = ['links', 'sessions', 'temp', 'data']

/** Creates what only the program may enter; returns whether it did. */
export async function ensureFolders(run: Do, program: ProgramName): Promise<boolean> {
  const { user, folder } = programPlaces[program]
  let made = false
  for (const name of folders) {
    const path = `${folder}/${name}`
    const isThere = await run('/usr/bin/test', ['-d', path]).then(
      () => true,
      () => false,
    )
    if (isThere) continue
    await run('/usr/bin/install', ['-d', '-o', user, '-g', user, '-m', '0700', path])
    made = true
  }
  return made
}

const pool = (program: ProgramName): string => {
  const { user, folder } = programPlaces[program]
  return `; Written by \`panel host setup\`.
[global]
pid = /run/panel-${program}/fpm.pid
error_log = syslog
syslog.ident = panel-${program}
daemonize = no
process_control_timeout = 10s

[${program}]
user = ${user}
group = ${user}
listen = /run/panel-${program}/fpm.sock
listen.owner = www-data
listen.group = www-data
listen.mode = 0660
pm = ondemand
pm.max_children = 40
request_terminate_timeout = 330s
pm.process_idle_timeout = 30s
pm.max_requests = 500
security.limit_extensions = .php
php_admin_value[session.save_path] = ${folder}/sessions
php_admin_value[session.gc_probability] = 1
php_admin_value[session.gc_maxlifetime] = 28800
php_admin_value[session.use_strict_mode] = 1
php_admin_value[session.cookie_secure] = 1
php_admin_value[session.cookie_httponly] = 1
php_admin_value[upload_tmp_dir] = ${folder}/temp
php_admin_value[sys_temp_dir] = ${folder}/temp
php_admin_value[upload_max_filesize] = 64M
php_admin_value[post_max_size] = 65M
php_admin_value[memory_limit] = 256M
php_admin_value[disable_functions] = exec,passthru,shell_exec,system,proc_open,popen,pcntl_exec,dl
php_admin_flag[expose_php] = off
php_admin_flag[log_errors] = on
php_admin_flag[display_errors] = off
`
}

/** Only this unit sees them, so their mode can be open. */
const spaces = (program: ProgramName): string => {
  const { folder } = programPlaces[program]
  const options = 'mode=1777,nosuid,nodev,noexec'
  return [
    `${folder}/temp:${options},size=512m`,
    `${folder}/sessions:${options},size=128m`,
    `/tmp:${options},size=64m`,
    `/var/tmp:${options},size=64m`,
  ].join(' ')
}

/** What a program can reach besides its own files. */
interface PoolAccess {
  readonly title: string
  readonly sockets: string
  readonly hidden: readonly string[]
  /** A folder, and the entries visible in it. */
  readonly only?: readonly string[]
}

const unit = (
  { suite }: Facts,
  program: ProgramName,
  { title, sockets, hidden, only = [] }: PoolAccess,
): string => `${header}[Unit]
Description=${title}
After=network.target

[Service]
Type=notify
ExecStart=${phpFpm(suite)} --nodaemonize --fpm-config /etc/panel/programs/${program}.conf
ExecReload=/bin/kill -USR2 $MAINPID
Restart=always
OOMPolicy=continue
RuntimeDirectory=panel-${program}
UMask=0077
MemoryMax=1G
TasksMax=64
# What its users upload counts as memory; the largest file is its database.
LimitFSIZE=2G
LimitCORE=0
NoNewPrivileges=yes
PrivateDevices=yes
PrivateIPC=yes
ProtectSystem=strict
ProtectHome=yes
ReadWritePaths=${programPlaces[program].folder}
TemporaryFileSystem=${['/etc/panel', '/var/lib/panel', ...only.slice(0, 1)].map((path) => `${path}:ro`).join(' ')} ${spaces(program)}
BindReadOnlyPaths=${[`/etc/panel/programs/${program}.conf`, ...only.slice(1)].join(' ')}
InaccessiblePaths=${['/run/panel', '/run/panel-php', '/run/dbus', '/var/log/panel', '/run/dovecot', '/run/opendkim', '/run/rspamd', '/var/lib/panel-host', '/var/spool/postfix', ...hidden].map((path) => `-${path}`).join(' ')}
RestrictAddressFamilies=${sockets}
IPAddressDeny=any
IPAddressAllow=localhost
${phpSandbox}

[Install]
WantedBy=multi-user.target
`

/** The files that make a program run as its own user, isolated from everything else. */
export const poolFiles = (facts: Facts, program: ProgramName, reach: PoolAccess): BaseFile[] => [
  { path: `/etc/panel/programs/${program}.conf`, content: pool(program), mode: 0o644 },
  { path: `/etc/systemd/system/panel-${program}.service`, content: unit(facts, program, reach), mode: 0o644 },
]
