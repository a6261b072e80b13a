import { createHash } from 'node:crypto'
import type { AccountCore } from '../../contract/account.ts'
import { type FileSpec, type Lines, ownerLine, systemFile } from '../spec.ts'
import { cloudflareNetworks } from './cloudflare.ts'
import type { AccessRule, SiteRules } from './rules-state.ts'
import type { Site } from './state.ts'

/**
 * Shared by all sites, outside any server block. A header is empty, and so not sent, where the site sends one itself,
 * or for HSTS where the visitor came without encryption.
 */
export const sharedMaps: Lines = [
  "map $upstream_http_x_content_type_options $panel_nosniff { '' nosniff; default ''; }",
  "map $upstream_http_referrer_policy $panel_referrer { '' strict-origin-when-cross-origin; default ''; }",
  'map "$https:$upstream_http_strict_transport_security" $panel_hsts { "on:" $panel_hsts_value; default \'\'; }',
  'map $uri $panel_expires {',
  '  default off;',
  '  "~*\\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|mjs|otf|png|svg|ttf|webp|woff2?)$" $panel_expires_value;',
  '}',
]
/** Defines the variables that the maps use, where no site does. */
export const sharedVariables: Lines = ["  set $panel_hsts_value '';", "  set $panel_expires_value '';"]

const SECONDS_PER_DAY = 86_400

function headers({ hstsDays, securityHeaders }: SiteRules): Lines {
  return [
    ...(hstsDays
      ? [
          `  set $panel_hsts_value "max-age=${hstsDays * SECONDS_PER_DAY}";`,
          '  add_header Strict-Transport-Security $panel_hsts always;',
        ]
      : []),
    ...(securityHeaders
      ? [
          '  add_header X-Content-Type-Options $panel_nosniff always;',
          '  add_header Referrer-Policy $panel_referrer always;',
        ]
      : []),
  ]
}

const caching = ({ staticCacheDays }: SiteRules): Lines =>
  staticCacheDays ? [`  set $panel_expires_value ${staticCacheDays}d;`, '  expires $panel_expires;'] : []

const serverErrors = '500 502 503 504'

/** An app would answer at the page's path itself. */
function errorPages({ errorPages = [] }: SiteRules, { handler, redirects }: Site): Lines {
  const places = new Set(errorPages.map(({ path }) => path))
  for (const { path, match } of redirects) if (match === 'exact') places.delete(path)
  const isApp = handler === 'app' || handler === 'off'
  return [
    ...errorPages.map(({ status, path }) => `  error_page ${status === '50x' ? serverErrors : status} ${path};`),
    ...(isApp ? [...places].flatMap((path) => [`  location = ${path} {`, '    try_files $uri =404;', '  }']) : []),
  ]
}

/** The visitor's address as a proxy says it, of which the peer's remains in `$realip_remote_addr`. */
function realAddress({ realIp }: SiteRules): Lines {
  if (!realIp) return []
  const isCloudflare = realIp.includes('cloudflare')
  return [
    ...(isCloudflare ? cloudflareNetworks : realIp).map((network) => `  set_real_ip_from ${network};`),
    `  real_ip_header ${isCloudflare ? 'CF-Connecting-IP' : 'X-Forwarded-For'};`,
    '  real_ip_recursive on;',
  ]
}

/** The visitor comes from this site, from one that is allowed, or says nothing. */
function hotlink({ hotlink }: SiteRules): Lines {
  if (!hotlink) return []
  return [
    '  referer_hash_bucket_size 512;',
    `  valid_referers none server_names${hotlink.allow.map((name) => ` ${name}`).join('')};`,
    "  set $panel_hotlink '';",
    `  if ($uri ~* "\\.(?:${hotlink.extensions.join('|')})$") {`,
    '    set $panel_hotlink file;',
    '  }',
    '  if ($invalid_referer) {',
    '    set $panel_hotlink "$panel_hotlink foreign";',
    '  }',
    '  if ($panel_hotlink = "file foreign") {',
    '    return 403;',
    '  }',
  ]
}

/** The paths themselves and all below them; certificates are confirmed whatever a rule says. */
const below = (path: string): string =>
  path === '/' ? '^/' : `^${path.replace(/\/$/, '').replaceAll('.', '\\.')}(?:/|$)`

/** Rules of short paths first: those of longer ones prevail. */
const sorted = ({ access = [] }: SiteRules): readonly AccessRule[] =>
  access.toSorted((a, b) => a.path.length - b.path.length)

const refusals = ['deny', 'allow'] as const

/** Variables are nginx's, of all sites. */
const variableOf = ({ file }: Site, n: number, kind: (typeof refusals)[number]): string =>
  `$panel_${kind}_${createHash('sha256').update(file).digest('hex').slice(0, 24)}_${n}`

/** Outside the server block: whether an address is refused. */
export function networkMaps(site: Site): Lines {
  return sorted(site.rules ?? {}).flatMap((rule, n) =>
    refusals.flatMap((kind) => {
      if (rule[kind].length === 0) return []
      const [others, these] = kind === 'deny' ? [0, 1] : [1, 0]
      const networks = rule[kind].map((network) => `  ${network} ${these};`)
      return [`geo ${variableOf(site, n, kind)} {`, `  default ${others};`, ...new Set(networks), '}']
    }),
  )
}

const usersFile = ({ file }: Site, n: number): string => `etc/panel/nginx/access/${file}.${n}`

function accessRules(site: Site): Lines {
  const rules = sorted(site.rules ?? {})
  if (rules.length === 0) return []
  const places = rules.flatMap((rule, n) => [
    ...(rule.users.length > 0 ? signIn(rule.path, usersFile(site, n)) : []),
    ...refusals.flatMap((kind) => (rule[kind].length > 0 ? refusal(rule.path, variableOf(site, n, kind)) : [])),
  ])
  return [
    '  set $panel_realm off;',
    '  set $panel_users /dev/null;',
    "  set $panel_refused '';",
    ...places,
    '  if ($uri ~ "^/\\.well-known/acme-challenge/") {',
    '    set $panel_realm off;',
    "    set $panel_refused '';",
    '  }',
    '  if ($panel_refused) {',
    '    return 403;',
    '  }',
    '  auth_basic $panel_realm;',
    '  auth_basic_user_file $panel_users;',
  ]
}

const signIn = (path: string, file: string): Lines => [
  `  if ($uri ~ "${below(path)}") {`,
  '    set $panel_realm Restricted;',
  `    set $panel_users /${file};`,
  '  }',
]

/** A condition of nginx's is a single one: the address counts only at the path. */
const refusal = (path: string, variable: string): Lines => [
  `  set $panel_match ${variable};`,
  `  if ($uri !~ "${below(path)}") {`,
  '    set $panel_match 0;',
  '  }',
  '  if ($panel_match) {',
  '    set $panel_refused 1;',
  '  }',
]

/** What the rules add to a site's server block; the first lines decide about a request, so they come first. */
export function ruleLines(site: Site): Lines {
  const { rules = {} } = site
  return [
    ...realAddress(rules),
    ...headers(rules),
    ...caching(rules),
    ...accessRules(site),
    ...hotlink(rules),
    ...errorPages(rules, site),
  ]
}

const includeFile = ({ file }: Site): string => `etc/panel/nginx/include/${file}.conf`

/** In a separate file: nginx refuses a brace in it that would close the server block. */
export const includeLines = (site: Site): Lines =>
  site.rules?.include === undefined ? [] : [`  include /${includeFile(site)};`]

export const includeFiles = (core: AccountCore, site: Site): FileSpec[] =>
  site.rules?.include === undefined
    ? []
    : [systemFile(includeFile(site), 0o600, [ownerLine('#', core), site.rules.include])]

/** Passwords of visitors, which nginx's workers read for each request. */
export function visitorFiles(core: AccountCore, site: Site): FileSpec[] {
  return sorted(site.rules ?? {}).flatMap(({ users }, n) => {
    if (users.length === 0) return []
    const lines = users.map(({ name, hash }) => `${name}:${hash}`)
    return [systemFile(usersFile(site, n), 0o640, [ownerLine('#', core), ...lines], 'www-data')]
  })
}
