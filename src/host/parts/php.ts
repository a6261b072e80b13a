import type { AccountCore } from '../contract/account.ts'
import { complete, fields, optional, yesOrNo } from '../contract/fields.ts'
import { part } from './part.ts'
import { nothing, systemDir, systemFile } from './spec.ts'

export interface PhpState {
  /** The maximum number of processes: unlimited if absent; 0 turns PHP off. */
  readonly children?: number | undefined
  /** Its programs send as the system user: the main domain is not verified. */
  readonly sendsAsUser?: boolean | undefined
}

const childrenWhenUnlimited = 20

/** The largest request body that PHP accepts, in megabytes; a file in it may be one less. */
export const MAX_BODY_MB = 65

/** The longest that a script may run, whatever it sets itself. */
export const MAX_SCRIPT_SECONDS = 300

/** The sockets of an account's PHP and its CGI. */
export const phpSocket = (username: string) => `/run/panel-php/${username}/fpm.sock`
export const cgiSocket = (username: string) => `/run/panel-php/${username}/cgi.sock`

function master(username: string): string[] {
  return [
    '[global]',
    `pid = /run/php/panel-${username}.pid`,
    `error_log = /var/log/panel/${username}/php.log`,
    'daemonize = no',
    // The default of 0 breaks requests in flight during a reload.
    'process_control_timeout = 10s',
  ]
}

function pool({ username, uid }: AccountCore, { children }: PhpState): string[] {
  return [
    `[${username}]`,
    `user = ${uid}`,
    `group = ${uid}`,
    `listen = ${phpSocket(username)}`,
    'listen.owner = www-data',
    'listen.group = www-data',
    'listen.mode = 0660',
    'pm = ondemand',
    `pm.max_children = ${children ?? childrenWhenUnlimited}`,
    'pm.process_idle_timeout = 30s',
    'pm.max_requests = 1000',
    `request_terminate_timeout = ${MAX_SCRIPT_SECONDS}s`,
    'security.limit_extensions = .php',
  ]
}

function settings({ username, mainDomain }: AccountCore, { sendsAsUser }: PhpState): string[] {
  const sender = sendsAsUser ? username : `${username}@${mainDomain}`
  return [
    `php_admin_value[session.save_path] = /home/${username}/tmp`,
    `php_admin_value[upload_tmp_dir] = /home/${username}/tmp`,
    `php_admin_value[sys_temp_dir] = /home/${username}/tmp`,
    // Debian removes old sessions with a timer of its own, which does not know this directory.
    'php_value[session.gc_probability] = 1',
    'php_value[session.gc_divisor] = 1000',
    `php_admin_value[sendmail_path] = /usr/sbin/sendmail -t -i -f ${sender}`,
    `php_value[upload_max_filesize] = ${MAX_BODY_MB - 1}M`,
    `php_value[post_max_size] = ${MAX_BODY_MB}M`,
    'php_admin_flag[log_errors] = on',
    'php_flag[display_errors] = off',
  ]
}

/** One PHP-FPM master per account: a shared one shares its opcache, and a bad pool stops them all. */
export const php = part({
  name: 'php',
  dirs: [systemDir('etc/panel/php', 0o700)],
  check: fields<PhpState>({ children: optional(complete(0, 2 ** 40)), sendsAsUser: optional(yesOrNo) }, 'PHP'),
  render(core, state) {
    if (core.suspended || state.children === 0) return nothing
    const lines = [...master(core.username), '', ...pool(core, state), ...settings(core, state)]
    return { dirs: [], files: [systemFile(`etc/panel/php/${core.username}.conf`, 0o644, lines)] }
  },
})
