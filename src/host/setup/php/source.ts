import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Suite } from '../../debian/suite.ts'
import type { SetupContext } from '../context.ts'
import { SetupError } from '../error.ts'
import { pinnedKey } from './signing-key.ts'

/** Package sources that `--php-source` can add. */
export const phpSources = ['sury'] as const
export type PhpSource = (typeof phpSources)[number]

const url = 'https://packages.sury.org/php/'
/** Of the keys that sign it: a file with any other is refused. */
const fingerprints = ['15058500A0235D97F5D10063B188E2B695BD4743']

const keyFile = '/etc/apt/keyrings/panel-sury.gpg'
const sourceFile = '/etc/apt/sources.list.d/panel-sury.sources'
const pinFile = '/etc/apt/preferences.d/panel-sury'

const sourceText = (codename: string): string => `# Written by \`panel host setup --php-source sury\`.
Types: deb
URIs: ${url}
Suites: ${codename}
Components: main
Signed-By: ${keyFile}
`

/** Debian's own version stays Debian's, and nothing else comes from there. */
const pins = ({ php }: Suite): string => `# Written by \`panel host setup --php-source sury\`.
Explanation: nothing comes from there by itself
Package: *
Pin: origin packages.sury.org
Pin-Priority: 100

Package: src:php-defaults php-common php5.6-* php7.0-* php7.1-* php7.2-* php7.3-* php7.4-* php8.0-* php8.1-* php8.2-* php8.3-* php8.4-* php8.5-*
Pin: origin packages.sury.org
Pin-Priority: 500

Package: php${php} php${php}-* php-fpm
Pin: origin packages.sury.org
Pin-Priority: 100
`

const KEY_TIMEOUT_MS = 30_000

/** Downloads the key. */
async function download(): Promise<Buffer> {
  const answer = await fetch(`${url}apt.gpg`, { signal: AbortSignal.timeout(KEY_TIMEOUT_MS), redirect: 'error' })
  if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** Adds the source with its pinned key, and asks it what it has; returns whether it was new. */
export async function addPhpSource(
  context: SetupContext,
  suite: Suite,
  fetchKey: () => Promise<Buffer> = download,
): Promise<boolean> {
  const { root, run, say } = context
  const files = [
    [sourceFile, sourceText(suite.codename)],
    [pinFile, pins(suite)],
  ] as const
  const isThere =
    existsSync(root + keyFile) &&
    files.every(([path, text]) => existsSync(root + path) && readFileSync(root + path, 'utf8') === text)
  if (isThere) return false
  const key = await fetchKey()
    .then((bytes) => pinnedKey(bytes, fingerprints))
    .catch((error: Error) => {
      throw new SetupError(
        `The key of ${url} cannot be used: ${error.message}.`,
        `expected is the fingerprint ${fingerprints[0]}; nothing was added`,
      )
    })
  for (const [path, content] of [[keyFile, key], ...files] as const) {
    mkdirSync(dirname(root + path), { recursive: true, mode: 0o755 })
    writeFileSync(root + path, content, { mode: 0o644 })
    say(`added ${path}`)
  }
  await run('/usr/bin/apt-get', ['update', '-q'])
  return true
}
