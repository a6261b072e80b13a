import type { AccountCore } from '../../contract/account.ts'
import type { MachineFacts } from '../../contract/facts.ts'
import type { ApacheSite } from '../apache/config.ts'
import { upstreams } from '../apache/upstream.ts'
import { cgiSocket, type PoolName, phpSocket } from '../php/sets.ts'
import { type FileSpec, type Lines, ownerLine, systemFile } from '../spec.ts'
import { discoveryPlaces, policyPlace, wellKnownPlaces } from './discovery.ts'
import { acme, answering, closed, isComplete, redirectPlaces, scriptTimeoutS, site, siteIndex } from './places.ts'
import { asEncrypted, previewListen, previewPlace, previewRules } from './preview.ts'
import { includeLines, networkMaps, ruleLines } from './rules.ts'
import type { Site, WebState } from './state.ts'
import { asVisited, bodiesListen, bodiesPlaces, wafLines, wafOf } from './waf.ts'

export const plain: Lines = ['  listen 80;', '  listen [::]:80;']
export const encrypted = ({ http2 }: MachineFacts): Lines => {
  const options = http2 === 'directive' ? 'ssl' : 'ssl http2'
  return [`  listen 443 ${options};`, `  listen [::]:443 ${options};`]
}
/** The default server of nginx has the socket. */
const quic = ({ http3 }: MachineFacts, { rules }: Site): Lines =>
  rules?.http3 && http3 !== false
    ? ['  listen 443 quic;', '  listen [::]:443 quic;', `  add_header Alt-Svc 'h3=":443"; ma=86400' always;`]
    : []
const isEncrypted = (listen: Lines): boolean => listen.some((line) => line.startsWith('  listen 443 ssl'))

const HEADER_TIMEOUT_S = 15

/** Half-sent requests must not keep connections. The default server's applies until the name is known. */
export const headerTimeout = `  client_header_timeout ${HEADER_TIMEOUT_S}s;`

/** The start of a site's server block. */
function head({ username }: AccountCore, { file, names, documentRoot }: Site, listen: Lines): Lines {
  const logs = `/var/log/panel/${username}/${file}`
  return [
    ...listen,
    `  server_name ${names.join(' ')};`,
    headerTimeout,
    `  set $panel_account ${username};`,
    ...(isEncrypted(listen) ? certificate(file) : []),
    `  root /home/${username}/${documentRoot};`,
    `  ${siteIndex};`,
    // Starting from a directory that its owner can replace would leave the way to it unchecked.
    `  disable_symlinks if_not_owner from=/home/${username};`,
    `  access_log ${logs}.access.log combined;`,
    '  access_log /var/log/panel/bandwidth.log panel_bw;',
    `  error_log ${logs}.error.log warn;`,
    '  server_tokens off;',
    ...compression,
  ]
}

/** Text alone: images, fonts of the web and archives are compressed already. */
export const compressedTypes =
  'text/plain text/css text/xml text/javascript application/javascript application/json application/xml application/rss+xml application/atom+xml application/manifest+json application/vnd.ms-fontobject font/ttf font/otf image/svg+xml image/x-icon'

const compression: Lines = [
  '  gzip on;',
  '  gzip_vary on;',
  '  gzip_proxied any;',
  '  gzip_min_length 512;',
  `  gzip_types ${compressedTypes};`,
]

const certificate = (file: string): Lines => [
  `  ssl_certificate /etc/panel/tls/${file}.crt;`,
  `  ssl_certificate_key /etc/panel/tls/${file}.key;`,
]

const server = (...parts: Lines[]): Lines => ['server {', ...parts.flat(), '}']

const runsPhp = ({ handler }: Site): boolean => ['php', 'php-front', 'apache'].includes(handler)
const poolOf = ({ php }: Site): PoolName => ({ version: php?.version, name: php?.pool })

const socketsOf = (core: AccountCore, one: Site, state: WebState, facts: MachineFacts) => ({
  fpm: phpSocket(core.username, poolOf(one), state.sites.filter(runsPhp).map(poolOf), facts),
  cgi: cgiSocket(core.username),
})

/** The account's Apache; nothing where none is installed, and nothing suspended. */
export function apacheOf(core: AccountCore, state: WebState, facts: MachineFacts): ApacheSite[] {
  if (core.suspended || facts.apache === false) return []
  return state.sites.filter(isApaches).map((site) => {
    const { fpm, cgi } = socketsOf(core, site, state, facts)
    const sockets = { ...(state.php && { fpm }), ...(state.cgi && { cgi }) }
    return { site, sockets, timeoutS: scriptTimeoutS(site) }
  })
}

const isApaches = ({ handler }: Site): boolean => handler === 'apache'

function placesOf(core: AccountCore, one: Site, state: WebState, facts: MachineFacts): Lines {
  if (core.suspended) return [...acme, ...closed]
  const sockets = socketsOf(core, one, state, facts)
  const settings = one.mail ? wellKnownPlaces(one.file, one.mail, answering(one)) : []
  return [...acme, ...redirectPlaces(one.redirects), ...settings, ...site(one, state, sockets)]
}

/** The name that visitors are sent to, and the one that sends them; suspended, both show the same page. */
function canonical({ suspended }: AccountCore, { names, rules }: Site): { target: string; other: string } | undefined {
  const [name, www] = names
  if (suspended || !rules?.canonical || name === undefined || www === undefined) return undefined
  return rules.canonical === 'www' ? { target: www, other: name } : { target: name, other: www }
}

/** Sends visitors on in one step: the site's redirects come first. */
function onward({ redirects }: Site, origin: string): Lines {
  const rest = ['  location / {', `    return 301 ${origin}$request_uri;`, '  }']
  return [...acme, ...redirectPlaces(redirects), ...(redirects.some(isComplete) ? [] : rest)]
}

/** Encrypted where the site is. */
function otherName(core: AccountCore, one: Site, target: string, facts: MachineFacts): Lines {
  const origin = `${one.httpsRedirect ? 'https' : '$scheme'}://${target}`
  return server(head(core, one, one.tls ? [...plain, ...encrypted(facts)] : plain), onward(one, origin))
}

function servers(core: AccountCore, one: Site, state: WebState, facts: MachineFacts): Lines {
  const names = canonical(core, one)
  if (!names) return ownServers(core, one, state, facts)
  return [
    ...ownServers(core, { ...one, names: [names.target] }, state, facts),
    ...otherName(core, { ...one, names: [names.other] }, names.target, facts),
  ]
}

function ownServers(core: AccountCore, one: Site, state: WebState, facts: MachineFacts): Lines {
  const tls = encrypted(facts)
  if (core.suspended)
    return server(head(core, one, one.tls ? [...plain, ...tls] : plain), placesOf(core, one, state, facts))
  const places = [
    ...ruleLines(one),
    ...checks(one, facts),
    ...placesOf(core, one, state, facts),
    ...includeLines(one),
    ...wafLines(wafOf(one, facts)),
  ]
  const bodies = bodiesServer(core, one, state, facts)
  if (!one.tls) return [...server(head(core, one, plain), places), ...bodies]
  const secure = [...tls, ...quic(facts, one)]
  if (!one.httpsRedirect) return [...server(head(core, one, [...plain, ...secure]), places), ...bodies]
  return [
    ...server(head(core, one, plain), onward(one, 'https://$host')),
    ...server(head(core, one, secure), places),
    ...bodies,
  ]
}

const checks = (one: Site, facts: MachineFacts): Lines =>
  wafOf(one, facts) ? bodiesPlaces(one, one.handler === 'app' ? answering(one) : undefined) : []

/** The site once more, for bodies that nginx writes to files. */
function bodiesServer(core: AccountCore, one: Site, state: WebState, facts: MachineFacts): Lines {
  const waf = wafOf(one, facts)
  if (!waf || one.handler === 'static') return []
  const inner = { ...one, rules: previewRules(one.rules!) }
  const places = [...ruleLines(inner), ...placesOf(core, inner, state, facts), ...includeLines(inner)]
  return server(head(core, inner, bodiesListen), asVisited(places), wafLines(waf))
}

/** The site for its preview, and the preview's own server in front of it. */
function previewServers(core: AccountCore, one: Site, state: WebState, facts: MachineFacts): Lines {
  const { preview, names, rules = {} } = one
  if (preview === undefined || core.suspended) return []
  const previewed = { ...one, tls: false, httpsRedirect: false, rules: previewRules(rules) }
  const places = asEncrypted([
    ...ruleLines(previewed),
    ...placesOf(core, previewed, state, facts),
    ...includeLines(previewed),
  ])
  const front = [`  server_name ${preview};`, headerTimeout, `  set $panel_account ${core.username};`]
  return [
    ...server(head(core, previewed, previewListen), places),
    ...server(plain, front, ['  access_log off;', '  return 301 https://$host$request_uri;']),
    ...server(encrypted(facts), front, previewPlace(preview, names)),
  ]
}

/** The names below the site's own that mail programs ask. A wildcard has none. */
function mailServers(core: AccountCore, { file, tls, mail }: Site, facts: MachineFacts): Lines {
  if (!mail) return []
  const names = (labels: readonly string[]) => labels.map((label) => `${label}.${file}`).join(' ')
  const proven = mail.labels.filter((label) => tls && mail.proven.includes(label))
  const others = mail.labels.filter((label) => !proven.includes(label))
  const own = core.suspended ? [] : [...discoveryPlaces(file, mail), ...policyPlace(file, mail)]
  const places = [...acme, ...own, ...nowhere]
  const head = (own: string): Lines => [
    `  server_name ${own};`,
    headerTimeout,
    `  set $panel_account ${core.username};`,
    '  access_log off;',
    '  server_tokens off;',
  ]
  return [
    ...(proven.length > 0
      ? server([...plain, ...encrypted(facts)], head(names(proven)), certificate(file), places)
      : []),
    ...(others.length > 0 ? server(plain, head(names(others)), places) : []),
  ]
}

const nowhere: Lines = ['  location / {', '    return 404;', '  }']

/** A site's virtual host; suspended, the same with a single page, and certificates still renew. */
export function vhost(core: AccountCore, site: Site, state: WebState, facts: MachineFacts): FileSpec {
  // Without Apache its access rules would not hold: the site shows nothing.
  const one: Site = isApaches(site) && facts.apache === false ? { ...site, handler: 'off' } : site
  const lines = [
    ownerLine('#', core),
    ...(core.suspended ? [] : networkMaps(one)),
    ...(core.suspended || !isApaches(one) ? [] : upstreams(core.username, one)),
    ...servers(core, one, state, facts),
    ...mailServers(core, one, facts),
    ...previewServers(core, one, state, facts),
  ]
  return systemFile(`etc/panel/nginx/sites/${one.file}.conf`, 0o600, lines)
}
