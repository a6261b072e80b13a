import { readFileSync } from 'node:fs'

/** The differences between Debian releases. */
export interface Suite {
  readonly name: string
  /** As package sources call it. */
  readonly codename: string
  readonly php: string
  /** Each version rejects the other's configuration. */
  readonly dovecot: '2.3' | '2.4'
  /** Whether HTTP/2 is enabled by its own directive or on `listen`. */
  readonly http2: 'directive' | 'listen'
}

const suites: Readonly<Record<string, Suite>> = {
  bookworm: { name: 'Debian 12', codename: 'bookworm', php: '8.2', dovecot: '2.3', http2: 'listen' },
  trixie: { name: 'Debian 13', codename: 'trixie', php: '8.4', dovecot: '2.4', http2: 'directive' },
}

/** The release that this machine runs; throws if it is unsupported. */
export function suiteOf(release = readFileSync('/etc/os-release', 'utf8')): Suite {
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(release)?.[1]
  const suite = value('ID') === 'debian' ? suites[value('VERSION_CODENAME') ?? ''] : undefined
  if (!suite)
    throw new Error(`${value('PRETTY_NAME') ?? 'This system'} is not supported: panel hosts on Debian 12 and 13.`)
  return suite
}

export const phpFpm = ({ php }: Pick<Suite, 'php'>): string => `/usr/sbin/php-fpm${php}`
