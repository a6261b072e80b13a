import { type FileSpec, systemFile } from '../spec.ts'
import { type PoolSet, setName, socketFolder } from './sets.ts'

export const unitFolder = 'etc/systemd/system'

export const unitOfSet = (set: PoolSet): string => `panel-php-${setName(set)}`

/**
 * The socket of a set of pools and the master behind it, which the first request starts. What they share is in files
 * that `panel host setup` writes for all units whose names begin with `panel-php-`.
 */
export function phpUnits(set: PoolSet, sockets: readonly string[]): FileSpec[] {
  const { username, version } = set
  const unit = `${unitFolder}/${unitOfSet(set)}`
  const socket = [
    '[Unit]',
    `Description=PHP ${version} of ${username}`,
    '',
    '[Socket]',
    ...sockets.map((path) => `ListenStream=${path}`),
    `SocketUser=${username}`,
  ]
  const service = [
    '[Unit]',
    `Description=PHP ${version} of ${username}`,
    '',
    '[Service]',
    `Environment=FPM_SOCKETS=${sockets.map((path, at) => `${path}=${at + FIRST_SOCKET}`).join(',')}`,
    `ExecStart=/usr/sbin/php-fpm${version} --nodaemonize --fpm-config /etc/panel/php/${setName(set)}.conf`,
    `Slice=panel-${username}.slice`,
    `BindPaths=/home/${username} /var/log/panel/${username}`,
    `BindReadOnlyPaths=/etc/panel/php/${setName(set)}.conf`,
    // It removes its sockets when it ends, which are not its own.
    `ReadOnlyPaths=${socketFolder}`,
  ]
  return [systemFile(`${unit}.service`, 0o644, service), systemFile(`${unit}.socket`, 0o644, socket)]
}

/** The number under which a program finds the first socket that it is given. */
const FIRST_SOCKET = 3
