import type { AccountCore } from '../../contract/account.ts'
import type { MachineFacts } from '../../contract/facts.ts'
import { cgiSocket, phpSocket } from '../php.ts'
import { type FileSpec, type Lines, ownerLine, systemFile } from '../spec.ts'
import { acme, closed, isComplete, redirectPlaces, site } from './places.ts'
import { networkMaps, ruleLines } from './rules.ts'
import type { Site, WebState } from './state.ts'

export const plain: Lines = ['  listen 80;', '  listen [::]:80;']
export const encrypted = ({ http2 }: MachineFacts): Lines => {
  const options = http2 === 'directive' ? 'ssl' : 'ssl http2'
  return [`  listen 443 ${options};`, `  listen [::]:443 ${options};`]
}
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
    '  index index.php index.html;',
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
const compressedTypes =
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

const toHttps: Lines = ['  location / {', '    return 301 https://$host$request_uri;', '  }']

const server = (...parts: Lines[]): Lines => ['server {', ...parts.flat(), '}']

function placesOf(core: AccountCore, one: Site, state: WebState): Lines {
  if (core.suspended) return [...acme, ...closed]
  const sockets = { fpm: phpSocket(core.username), cgi: cgiSocket(core.username) }
  return [...acme, ...redirectPlaces(one.redirects), ...site(one, state, sockets)]
}

/** The name that visitors are sent to, and the one that sends them; suspended, both show the same page. */
function canonical({ suspended }: AccountCore, { names, rules }: Site): { target: string; other: string } | undefined {
  const [name, www] = names
  if (suspended || !rules?.canonical || name === undefined || www === undefined) return undefined
  return rules.canonical === 'www' ? { target: www, other: name } : { target: name, other: www }
}

/** Sends visitors on in one step, encrypted where the site is; its redirects come first. */
function otherName(core: AccountCore, one: Site, target: string, facts: MachineFacts): Lines {
  const { redirects, httpsRedirect, tls } = one
  const isRedirected = redirects.some(isComplete)
  const onward = `    return 301 ${httpsRedirect ? 'https' : '$scheme'}://${target}$request_uri;`
  const places = [...acme, ...redirectPlaces(redirects), ...(isRedirected ? [] : ['  location / {', onward, '  }'])]
  return server(head(core, one, tls ? [...plain, ...encrypted(facts)] : plain), places)
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
  const places = core.suspended ? placesOf(core, one, state) : [...ruleLines(one), ...placesOf(core, one, state)]
  if (!one.tls) return server(head(core, one, plain), places)
  if (!one.httpsRedirect || core.suspended) return server(head(core, one, [...plain, ...tls]), places)
  return [...server(head(core, one, plain), acme, toHttps), ...server(head(core, one, tls), places)]
}

/** A site's virtual host; suspended, the same with a single page, and certificates still renew. */
export function vhost(core: AccountCore, one: Site, state: WebState, facts: MachineFacts): FileSpec {
  const lines = [ownerLine('#', core), ...(core.suspended ? [] : networkMaps(one)), ...servers(core, one, state, facts)]
  return systemFile(`etc/panel/nginx/sites/${one.file}.conf`, 0o600, lines)
}
