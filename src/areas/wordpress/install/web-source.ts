import type { Outgoing } from '../../../outgoing/client.ts'
import {
  type ArchiveSource,
  archiveNamed,
  type ExtensionKind,
  extensionVersionsIn,
  nameOf,
  SourceError,
  versionsIn,
} from './archives.ts'

const MAX_LIST_BYTES = 4 * 1024 * 1024

/** Undefined if there is nothing at the address. */
async function bodyAt(outgoing: Outgoing, url: string, maxBytes: number, signal: AbortSignal) {
  const { status, body } = await outgoing.get({ url, headers: {}, reach: 'private', maxBytes, signal })
  if (status === 200) return body
  if (status === 404 || status === 410) return undefined
  throw new SourceError(`The source of WordPress answered with the status ${status}.`)
}

const extensionLink = /[A-Za-z0-9_][A-Za-z0-9._+-]{0,150}\.zip(?=["'\s<?#])/g
const archiveLink = /wordpress-[0-9.]+(?:-[A-Za-z_]+)?\.tar\.gz(?=["'\s<?#])/g

/** Archives at an https address, whose page lists them. */
export const mirrorAt = (outgoing: Outgoing, base: string): ArchiveSource => {
  const at = (name: string): string => `${base.replace(/\/*$/, '')}/${name}`
  return {
    checksum: 'sha256',
    extensionChecksum: 'sha256',
    async extensionVersions(kind, slug, signal) {
      const page = await bodyAt(outgoing, at(`${kind}/`), MAX_LIST_BYTES, signal)
      return extensionVersionsIn(page?.toString('utf8').match(extensionLink) ?? [], slug)
    },
    async versions(locale, signal) {
      const page = await bodyAt(outgoing, at(''), MAX_LIST_BYTES, signal)
      return versionsIn(page?.toString('utf8').match(archiveLink) ?? [], locale)
    },
    read: (name, maxBytes, signal) => bodyAt(outgoing, at(name), maxBytes, signal),
  }
}

const VERSIONS_URL = 'https://api.wordpress.org/core/version-check/1.7/'

export const wordpressOrg = (outgoing: Outgoing): ArchiveSource => ({
  checksum: 'sha1',
  async extensionVersions(kind, slug, signal) {
    const { name, action } = descriptions[kind]
    const url = `https://api.wordpress.org/${kind}/info/1.2/?action=${action}&request[slug]=${encodeURIComponent(slug)}`
    const answer = await bodyAt(outgoing, url, MAX_LIST_BYTES, signal)
    return answer === undefined
      ? []
      : extensionVersionsIn([`${slug}.${versionIn(answer.toString('utf8'), name)}.zip`], slug)
  },
  /** Most languages are released with the version itself. */
  async versions(_locale, signal) {
    const answer = await bodyAt(outgoing, VERSIONS_URL, MAX_LIST_BYTES, signal)
    return offeredIn(answer?.toString('utf8') ?? '')
  },
  read: (name, maxBytes, signal) => bodyAt(outgoing, addressOf(name), maxBytes, signal),
})

const descriptions: Readonly<Record<ExtensionKind, { readonly name: string; readonly action: string }>> = {
  plugins: { name: 'plugin', action: 'plugin_information' },
  themes: { name: 'theme', action: 'theme_information' },
}

function versionIn(text: string, name: string): string {
  try {
    return String(JSON.parse(text).version)
  } catch {
    throw new SourceError(`wordpress.org did not say which version of the ${name} is the newest.`)
  }
}

function offeredIn(text: string): string[] {
  try {
    const { offers } = JSON.parse(text)
    return offers.map(({ current }: { current: unknown }) => String(current))
  } catch {
    throw new SourceError('wordpress.org did not say which versions there are.')
  }
}

/** Other languages have a directory each, where all archives have the same names. */
function addressOf(name: string): string {
  const [kind, file] = name.split('/')
  if (file !== undefined) return `https://downloads.wordpress.org/${descriptions[kind as ExtensionKind].name}/${file}`
  const checksum = name.endsWith('.sha1') ? '.sha1' : ''
  const archive = archiveNamed(name.slice(0, name.length - checksum.length))!
  const plain = `${nameOf({ ...archive, locale: undefined })}${checksum}`
  return archive.locale === undefined
    ? `https://wordpress.org/${plain}`
    : `https://downloads.wordpress.org/release/${archive.locale}/${plain}`
}
