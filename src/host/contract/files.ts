import type { ArchiveFormat, NameEncoding } from '../../shared/archives.ts'

export { archiveFormats, nameEncodings } from '../../shared/archives.ts'
export type { ArchiveFormat, NameEncoding }

/** A path relative to a home, as its bytes on disk, in base64; empty for the home itself. */
export type Bytes = string

/** In a list of an account's trash. */
export const MAX_TRASH_ITEMS = 1000

/** In a list of the directives of a site's `.htaccess` files. */
export const MAX_DIRECTIVES = 2_000
/** Of their files' paths and names together. */
export const MAX_PATHS_BYTES = 512 * 1024

/** What a directive of `.htaccess` is about. */
export const directiveKinds = ['access', 'rewrite', 'redirect', 'php', 'header', 'other'] as const

/** In a list of the WordPress installations below a document root. */
export const MAX_WORDPRESS_SITES = 500

/** In a list of a site's plugins, themes or users. */
export const MAX_WORDPRESS_ITEMS = 1_000

/** What is taken over of the files of a WordPress installation. */
export const wordpressPatterns = {
  version: /^\d[\w.+-]{0,31}$/,
  database: /^[^\p{Cc}]{1,64}$/u,
  prefix: /^\w{1,64}$/,
}

/** Why the files of a WordPress installation do not say what it is. */
export const configProblems = [
  'version-unknown',
  'config-missing',
  'config-large',
  'config-unreadable',
  'config-runs',
  'config-loops',
  'config-stops',
  'database-unknown',
  'prefix-invalid',
] as const
