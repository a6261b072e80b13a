/** Directories that are private to each tenant's processes. */
export const ownPlaces = [
  '/dev/shm:mode=1777,nosuid,nodev',
  '/run/lock:mode=1777,nosuid,nodev,noexec,size=1m',
  '/var/lib/php/sessions:mode=1733,nosuid,nodev,noexec',
].join(' ')

/** Sockets that only services use, and lists of who is logged in from where. */
export const hiddenPlaces = [
  ...['/run/dovecot', '/run/opendkim', '/run/rspamd', '/run/panel', '/run/dbus'],
  ...['/run/systemd/sessions', '/run/systemd/users', '/run/utmp', '/var/log/wtmp', '/var/log/lastlog'],
]
  .map((place) => `-${place}`)
  .join(' ')

const ownTmp = ['PrivateTmp=yes', 'PrivateIPC=yes', `TemporaryFileSystem=${ownPlaces}`]

/**
 * A tenant unit's view of the file system: its own home, and only sockets open to every user. Nothing here may imply
 * NoNewPrivileges, under which mail cannot be sent.
 */
export const sandboxProperties = (username: string): string[] => [
  ...ownTmp,
  'ProtectHome=tmpfs',
  `BindPaths=/home/${username}`,
  'TemporaryFileSystem=/etc/panel:ro',
  'BindReadOnlyPaths=-/etc/panel/submit',
  `InaccessiblePaths=${hiddenPlaces}`,
  'ProtectProc=invisible',
  'ProtectSystem=full',
]

export const sliceOf = (username: string): string => `panel-${username}.slice`
