import type { directiveKinds } from '../../contract/files.ts'
import { type Directive, firstWord, type Section } from './directives.ts'
import { knownName } from './known.ts'

export type DirectiveKind = (typeof directiveKinds)[number]

/** A file of a site. */
export interface SiteFile {
  /** What answers at the site. */
  readonly handler: string
  /** Whether the file is the document root's own. */
  readonly isOfRoot: boolean
}

export interface CheckedDirective {
  readonly line: number
  readonly directive: string
  readonly kind: DirectiveKind
  readonly obeyed: boolean
}

/** Of bytes, as an editor of Windows puts it at the start of a file. */
const byteOrderMark = '\xef\xbb\xbf'
const MAX_NAME_LENGTH = 64

const access = /^(?:allow|deny|order|require|satisfy|allowmethods|auth\w+|sslrequire(?:ssl)?|sslverifyclient)$/i
const handlers = /^(?:action|addhandler|addtype|forcetype|removehandler|removetype|sethandler)$/i

/** A rewrite rule that refuses is an access rule. */
const refuses = /\[(?:[^[\]]*,)?\s*(?:F|forbidden)\s*(?:,[^[\]]*)?\]\s*$/i
/** Of a rule's end, where its flags are: matching may take the square of the length. */
const MAX_FLAGS_LENGTH = 200

export function kindOf({ name, args }: Pick<Directive, 'name' | 'args'>): DirectiveKind {
  if (access.test(name)) return 'access'
  if (/^rewrite/i.test(name))
    return /^rewriterule$/i.test(name) && refuses.test(args.slice(-MAX_FLAGS_LENGTH)) ? 'access' : 'rewrite'
  if (/^redirect/i.test(name)) return 'redirect'
  if (/^(?:php_|suphp_)/i.test(name) || (handlers.test(name) && /php|lsapi/i.test(args))) return 'php'
  return /^(?:header|requestheader|expires\w+|fileetag)$/i.test(name) ? 'header' : 'other'
}

/** Which directives of a file take effect at a site; no values. */
export function evaluate(directives: readonly Directive[], file: SiteFile): CheckedDirective[] {
  const permalinks = file.handler === 'php-front' && file.isOfRoot ? permalinkSections(directives) : new Set<number>()
  return directives.map((one) => {
    const hasMark = one.name.startsWith(byteOrderMark)
    const bare = hasMark ? { ...one, name: one.name.slice(byteOrderMark.length) } : one
    const kind = kindOf(bare)
    const obeyed =
      file.handler === 'apache' ? !hasMark && isApaches(bare, kind) : isRewrite(one) && permalinks.has(placeOf(one))
    return { line: one.line, directive: displayed(bare.name), kind, obeyed }
  })
}

/** What is not text of a name is replaced: it may be anything. */
const displayed = (name: string): string =>
  (knownName(name) ?? name).slice(0, MAX_NAME_LENGTH).replaceAll(/[^!-~]/g, '?')

/** PHP's names for handlers change nothing: `.php` runs in the version of the domain. */
function isApaches(one: Directive, kind: DirectiveKind): boolean {
  if (kind === 'php') return perDirectory(one) !== undefined
  if (handlers.test(one.name) && /\bcgi-script\b/i.test(one.args)) return false
  return knownName(one.name) !== undefined
}

export interface PhpSetting {
  readonly name: string
  readonly value: string
}

/** Settings that only PHP's own configuration may contain. */
const ofSystem =
  /^(?:allow_url_(?:fopen|include)|apc\..*|cgi\..*|disable_(?:classes|functions)|doc_root|enable_dl|expose_php|(?:zend_)?extension(?:_dir)?|fastcgi\..*|file_uploads|opcache\.(?!enable$).*|realpath_cache_\w+|sendmail_path|sys_temp_dir|upload_tmp_dir|user_dir|user_ini\..*)$/i
const settingName = /^[a-z][a-z0-9_.-]{0,99}$/i

/** Conditions about requests or the machine; what is in others holds for the directory. */
const isConditional = ({ name, args }: Section): boolean =>
  name !== 'ifmodule' || /^!\s*(?:mod_php|php\d*_module)/i.test(args)

/** What a `php_value` or `php_flag` sets for its directory and all below it. */
export function perDirectory({ name, args, sections }: Directive): PhpSetting | undefined {
  if (!/^php_(?:value|flag)$/i.test(name) || sections.some(isConditional)) return undefined
  const { word, rest } = firstWord(args)
  const { word: value } = firstWord(rest)
  if (!settingName.test(word) || ofSystem.test(word)) return undefined
  return { name: word, value: /^php_flag$/i.test(name) ? flag(value) : value }
}

const flag = (value: string): string => (/^(?:on|1|yes|true)$/i.test(value) ? '1' : '0')

/** WordPress's own block, as it writes it for a site at `/`. */
const permalinkLines = [
  /^RewriteEngine On$/i,
  /^RewriteRule \.\* - \[E=HTTP_AUTHORIZATION:%\{HTTP:Authorization\}\]$/i,
  /^RewriteBase \/$/i,
  /^RewriteRule \^index\\\.php\$ - \[L\]$/i,
  /^RewriteCond %\{REQUEST_FILENAME\} !-[fd]$/i,
  /^RewriteRule \. \/index\.php \[L\]$/i,
]
const lastLine = permalinkLines.at(-1)!

const lineOf = ({ name, args }: Directive): string => `${name} ${args.replaceAll(/\s+/g, ' ')}`
const isPermalink = (line: string): boolean => permalinkLines.some((shape) => shape.test(line))
export const isPermalinkLine = (one: Directive): boolean => isPermalink(lineOf(one))
/** The line of the section around it; 0: none. */
const placeOf = ({ sections }: Directive): number => sections.at(-1)?.line ?? 0
const isRewrite = ({ name }: Directive): boolean => /^rewrite/i.test(name)

/** The sections whose rewrite rules are WordPress's permalinks alone; elsewhere the front controller differs. */
function permalinkSections(directives: readonly Directive[]): Set<number> {
  const bySection = new Map<number, string[]>()
  for (const one of directives.filter(isRewrite)) {
    const lines = bySection.get(placeOf(one))
    if (lines) lines.push(lineOf(one))
    else bySection.set(placeOf(one), [lineOf(one)])
  }
  const arePermalinks = (lines: readonly string[]) =>
    lines.every(isPermalink) && lines.some((line) => lastLine.test(line))
  return new Set([...bySection].filter(([, lines]) => arePermalinks(lines)).map(([place]) => place))
}
