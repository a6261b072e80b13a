import { accountSockets, serverSockets } from './db/sockets.ts'
import { ownTerminals } from './terminals.ts'

/**
 * Directories that are private to each tenant's processes. Their content counts as memory of the slice; programs with
 * more of it use `TMPDIR`, which is in the home.
 */
export const ownPlaces = [
  '/tmp:mode=1777,nosuid,nodev,size=256m,nr_inodes=16k',
  '/var/tmp:mode=1777,nosuid,nodev,size=256m,nr_inodes=16k',
  '/dev/shm:mode=1777,nosuid,nodev,size=64m,nr_inodes=4k',
  '/run/lock:mode=1777,nosuid,nodev,noexec,size=1m,nr_inodes=1k',
  '/var/lib/php/sessions:mode=1733,nosuid,nodev,noexec,size=1m,nr_inodes=1k',
].join(' ')

/** Sockets that only services use, the journal's, which all share, and lists of who is logged in from where. */
export const hiddenPlaces = [
  ...['/run/systemd/journal', '/run/dovecot', '/run/opendkim', '/run/rspamd', '/run/panel', '/run/dbus'],
  ...['/run/systemd/sessions', '/run/systemd/users', '/run/utmp', '/var/log/wtmp', '/var/log/lastlog'],
]
  .map((place) => `-${place}`)
  .join(' ')

const ownTmp = ['PrivateIPC=yes', `TemporaryFileSystem=${ownPlaces}`, 'LimitCORE=0']

/** The account's own way to MariaDB, in place of everybody's. */
export const databaseSocket = (username: string): string => `-${accountSockets}/${username}:${serverSockets}`

/**
 * A tenant unit's view of the file system: its own home, and only sockets open to every user. Nothing here may imply
 * NoNewPrivileges, under which mail cannot be sent.
 */
export const sandboxProperties = (username: string): string[] => [
  ...ownTmp,
  'ProtectHome=tmpfs',
  `BindPaths=/home/${username} ${ownTerminals(username)}`,
  'TemporaryFileSystem=/etc/panel:ro',
  `BindReadOnlyPaths=-/etc/panel/submit ${databaseSocket(username)}`,
  `InaccessiblePaths=${hiddenPlaces}`,
  'ProtectProc=invisible',
  'ProtectSystem=full',
]

export const sliceOf = (username: string): string => `panel-${username}.slice`

/**
 * Bounds all that reads and unpacks archives of accounts, which have no slice yet. Usernames have no underscore, so no
 * account's slice has this name. Written by `panel host setup`.
 */
export const importsSlice = 'panel_imports.slice'
