/** Copies what a program prints until its last writer has gone; a full disk costs only what it cannot hold. */
const copier = `exec 3<&0; trap "" TERM INT HUP; (until cat <&3; do sleep 1; done) &`

/** Becomes the program once the copier runs, as a child of systemd and not of the program. */
const script = `exec > >(exec /bin/sh -c '${copier}') 2>&1; wait $!; exec "$@"`

/** What it takes to become another user for good. */
export const toBecome = 'CAP_SETGID CAP_SETUID CAP_SETPCAP'

/**
 * The words of a program that runs as `uid` and whose log root owns. It gets a pipe in place of the file: by a
 * descriptor of it, fallocate(2) would take the whole disk at once, and no quota counts what root owns. The unit starts
 * as root, with standard output appended to the log; the copier stays root's, in the account's slice.
 */
export const withPipedOutput = (uid: number | string, words: readonly string[]): string[] => [
  ...['/bin/bash', '-c', script, 'panel-output', '/usr/bin/setpriv'],
  ...[`--reuid=${uid}`, `--regid=${uid}`, '--init-groups', '--inh-caps=-all', '--bounding-set=-all', '--'],
  ...words,
]
