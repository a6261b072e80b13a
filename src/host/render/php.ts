import type { AccountState } from '../driver.ts'
import { type DirSpec, nothing, type Rendered, systemDir, systemFile } from './spec.ts'

const childrenWhenUnlimited = 20

/** Where an account's PHP listens. */
export const phpSocket = (username: string) => `/run/php/panel-${username}.sock`

/** An account with no PHP processes allowed has no PHP at all. */
export const hasPhp = (account: AccountState) => account.limits.phpChildren !== 0

function master(username: string): string[] {
  return [
    '[global]',
    `pid = /run/php/panel-${username}.pid`,
    `error_log = /var/log/panel/${username}/php-fpm.log`,
    'daemonize = no',
    // The default of 0 breaks the requests that run while it reloads.
    'process_control_timeout = 10s',
  ]
}

function pool({ username, uid, limits }: AccountState): string[] {
  return [
    `[${username}]`,
    `user = ${uid}`,
    `group = ${uid}`,
    `listen = ${phpSocket(username)}`,
    'listen.owner = www-data',
    'listen.group = www-data',
    'listen.mode = 0660',
    'pm = ondemand',
    `pm.max_children = ${limits.phpChildren ?? childrenWhenUnlimited}`,
    'pm.process_idle_timeout = 30s',
    'pm.max_requests = 1000',
    'catch_workers_output = yes',
    'security.limit_extensions = .php',
  ]
}

function settings({ username, mainDomain }: AccountState): string[] {
  return [
    `php_admin_value[open_basedir] = /home/${username}:/usr/share/php`,
    `php_admin_value[session.save_path] = /home/${username}/tmp`,
    `php_admin_value[upload_tmp_dir] = /home/${username}/tmp`,
    `php_admin_value[sys_temp_dir] = /home/${username}/tmp`,
    `php_admin_value[sendmail_path] = /usr/sbin/sendmail -t -i -f ${username}@${mainDomain}`,
    'php_admin_flag[log_errors] = on',
    'php_flag[display_errors] = off',
  ]
}

/** A PHP-FPM master of its own per account: a shared one shares its opcache, and a bad pool stops them all. */
export function renderPhp(account: AccountState): Rendered {
  if (account.suspended || !hasPhp(account)) return nothing
  const lines = [...master(account.username), '', ...pool(account), ...settings(account)]
  return { dirs: [], files: [systemFile(`etc/panel/php/${account.username}.conf`, 0o644, lines)] }
}

export const phpDirs: readonly DirSpec[] = [systemDir('etc/panel/php', 0o755)]
