import { passOn } from '../apache/upstream.ts'
import type { Lines } from '../spec.ts'
import { isOfRelease } from './roots.ts'
import type { Redirect, Site, SiteApp, WebState } from './state.ts'
import { uploads } from './uploads.ts'

/** Lines inside a server block. */

/** `/.well-known/` contains public files, such as security.txt. */
const hidden: Lines = ['  location ~ /\\.(?!well-known/) {', '    deny all;', '  }']

export const acme: Lines = [
  '  location ^~ /.well-known/acme-challenge/ {',
  '    root /var/lib/panel-host/acme;',
  '    default_type text/plain;',
  '    try_files $uri =404;',
  '  }',
]

/** In place of a suspended account's sites. */
export const closed: Lines = [
  '  error_page 503 /suspended.html;',
  '  location = /suspended.html {',
  '    internal;',
  '    root /var/lib/panel-host/pages;',
  '  }',
  '  location / {',
  '    return 503;',
  '  }',
]

/** Requests at a time from one address, of all sites' scripts and apps: people behind one proxy share it. */
const MAX_REQUESTS_PER_ADDRESS = 200
/** Requests at a time that wait for an account's scripts, at any number of which PHP works. */
const MAX_SCRIPT_REQUESTS = 200
/** Requests at a time to an account's apps, websockets included; each takes two connections of nginx. */
const MAX_APP_REQUESTS = 2000

/**
 * Counted only where requests end: nginx counts a request once, so `location /`, which passes it on to the scripts, must
 * not.
 */
const scriptRequests: Lines = [
  `    limit_conn panel_addresses ${MAX_REQUESTS_PER_ADDRESS};`,
  `    limit_conn panel_scripts ${MAX_SCRIPT_REQUESTS};`,
  ...uploads.map((line) => `    ${line}`),
]

type Root = '$document_root' | '$realpath_root'

/** What may follow a script's name in the path; `try_files` clears it. */
const phpScript: Lines = [
  '    fastcgi_split_path_info ^(.+?\\.php)(/.*)$;',
  '    set $panel_path_info $fastcgi_path_info;',
  '    try_files $fastcgi_script_name =404;',
  '    include fastcgi_params;',
  '    fastcgi_param PATH_INFO $panel_path_info if_not_empty;',
]
const cgiScript: Lines = ['    try_files $uri =404;', '    include fastcgi_params;']

/** What runs scripts, and the longest that they may compute. */
interface Backend {
  readonly socket: string
  readonly executionS: number
}

/** What a script does besides computing, such as waiting for others, does not count for PHP. */
const WAITING_S = 30

/** If a symlink selects the release, PHP must get its target: it caches files by path. */
function fastcgi(script: Lines, { socket, executionS }: Backend, root: Root): string[] {
  return [
    ...scriptRequests,
    ...script,
    `    fastcgi_param SCRIPT_FILENAME ${root}$fastcgi_script_name;`,
    ...(root === '$realpath_root' ? [`    fastcgi_param DOCUMENT_ROOT ${root};`] : []),
    '    fastcgi_param HTTP_PROXY "";',
    // What no client has read yet stays in memory: files would count for no quota.
    '    fastcgi_max_temp_file_size 0;',
    `    fastcgi_read_timeout ${executionS + WAITING_S}s;`,
    `    fastcgi_pass unix:${socket};`,
  ]
}

/** Scripts that cannot run are refused: their source is never served. */
function scripts(match: string, script: Lines, backend: Backend | undefined, root: Root): string[] {
  return [`  location ${match} {`, ...(backend ? fastcgi(script, backend, root) : ['    return 404;']), '  }']
}

const DEFAULT_BODY_MB = 65
const DEFAULT_EXECUTION_S = 30
/** Scripts of CGI have no limit that they set themselves. */
const CGI_EXECUTION_S = 300

/** What waits for a site's scripts. */
export const scriptTimeoutS = ({ php }: Site): number => (php?.executionS ?? DEFAULT_EXECUTION_S) + WAITING_S

/** For the whole site: a body may be sent to a directory's URL, or to one that only its scripts know. */
const bodies = ({ php }: Site): Lines => [`  client_max_body_size ${php?.bodyMb ?? DEFAULT_BODY_MB}m;`]

const files = (otherwise: string): Lines => ['  location / {', `    try_files $uri $uri/ ${otherwise};`, '  }']

const off: Lines = ['  location / {', '    return 503;', '  }']

/**
 * All requests go to the app, websockets too. Each has a connection of its own: a kept one would break when its process
 * is replaced.
 */
const proxied = (app: SiteApp): Lines => ['  location / {', ...toApp(app), '  }']

const toApp = ({ id, port }: SiteApp): Lines => [
  `    limit_conn panel_addresses ${MAX_REQUESTS_PER_ADDRESS};`,
  `    limit_conn panel_apps ${MAX_APP_REQUESTS};`,
  '    limit_conn_status 429;',
  '    proxy_max_temp_file_size 0;',
  `    proxy_pass http://${port === undefined ? `unix:/run/panel-apps/${id}/app.sock:` : `127.0.0.1:${port}`};`,
  '    proxy_http_version 1.1;',
  '    proxy_set_header Host $host;',
  '    proxy_set_header Upgrade $http_upgrade;',
  '    proxy_set_header Connection $panel_connection;',
  '    proxy_set_header X-Real-IP $remote_addr;',
  '    proxy_set_header X-Forwarded-For $remote_addr;',
  '    proxy_set_header X-Forwarded-Host $host;',
  '    proxy_set_header X-Forwarded-Proto $scheme;',
  '    proxy_set_header Proxy "";',
  '    proxy_read_timeout 300s;',
  '    proxy_request_buffering off;',
  '    client_max_body_size 0;',
]

interface Sockets {
  readonly fpm: string
  readonly cgi: string
}

const cgiPlace = '^~ /cgi-bin/'

export const siteIndex = 'index index.php index.html'

/** An index that the document root lacks is this page; other directories without one are refused. */
const welcomePage: Lines = [
  '  location = /.panel-welcome {',
  '    internal;',
  '    default_type text/html;',
  '    alias /var/lib/panel-host/pages/welcome.html;',
  '  }',
]
const welcome: Lines = ['  location = / {', `    ${siteIndex} /.panel-welcome;`, '  }', ...welcomePage]

/** Apache finds no index in an empty site, and refuses; what its owner put there decides otherwise. */
const emptySite = ({ redirects }: Site): Lines =>
  redirects.some(({ path }) => path === '/')
    ? []
    : [
        "  set $panel_index '';",
        ...['index.php', 'index.html', 'index.htm', '.htaccess'].flatMap((name) => [
          `  if (-f $document_root/${name}) {`,
          '    set $panel_index found;',
          '  }',
        ]),
        '  location = / {',
        "    if ($panel_index = '') {",
        '      rewrite ^ /.panel-welcome last;',
        '    }',
      ]

const toApache = (one: Site): Lines => [
  ...scriptRequests,
  passOn(one),
  '    proxy_http_version 1.1;',
  "    proxy_set_header Connection '';",
  '    proxy_set_header Host $host;',
  '    proxy_set_header X-Real-IP $remote_addr;',
  '    proxy_set_header X-Forwarded-For $remote_addr;',
  '    proxy_set_header X-Forwarded-Proto $scheme;',
  "    proxy_set_header Proxy '';",
  '    proxy_max_temp_file_size 0;',
  `    proxy_read_timeout ${scriptTimeoutS(one)}s;`,
]

/** What answers all of a site's requests; undefined if nginx reads files itself. */
export function answering(one: Site): Lines | undefined {
  if (one.redirects.some(isComplete)) return undefined
  if (one.handler === 'app') return toApp(one.app!)
  return one.handler === 'apache' ? toApache(one) : undefined
}

/** All goes through the account's Apache, so that its access rules hold for every file. */
const throughApache = (one: Site): Lines => {
  const onward = toApache(one)
  const empty = emptySite(one)
  return [
    ...bodies(one),
    ...hidden,
    ...(empty.length > 0 ? [...empty, ...onward, '  }', ...welcomePage] : []),
    '  location / {',
    ...onward,
    '  }',
  ]
}

/** The site itself; a redirect replaces whatever would answer at its path. */
export function site(one: Site, { cgi, php }: WebState, sockets: Sockets): Lines {
  const { handler, app, redirects, documentRoot } = one
  if (redirects.some(isComplete)) return []
  if (handler === 'app') return proxied(app!)
  if (handler === 'off') return off
  if (handler === 'apache') return throughApache(one)
  const root = isOfRelease(documentRoot) ? '$realpath_root' : '$document_root'
  const runsScripts = handler !== 'static'
  const fpm = { socket: sockets.fpm, executionS: one.php?.executionS ?? DEFAULT_EXECUTION_S }
  const cgiBin = redirects.some(({ path, match }) => match === 'prefix' && path === '/cgi-bin')
    ? []
    : scripts(
        cgiPlace,
        cgiScript,
        cgi && runsScripts ? { socket: sockets.cgi, executionS: CGI_EXECUTION_S } : undefined,
        root,
      )
  return [
    ...(runsScripts ? bodies(one) : []),
    ...hidden,
    ...(redirects.some(({ path }) => path === '/') ? [] : welcome),
    ...cgiBin,
    ...files(handler === 'php-front' ? '/index.php?$args' : '=404'),
    ...scripts('~ [^/]\\.php(?:/|$)', phpScript, php && runsScripts ? fpm : undefined, root),
  ]
}

/** Whether it matches all paths. */
export const isComplete = ({ path, match }: Redirect): boolean => path === '/' && match === 'prefix'

/** By path and match; if both kinds have the same path, the exact one wins. */
export function redirectPlaces(redirects: readonly Redirect[]): Lines {
  const sorted = [...redirects].sort((a, b) => order(a.path, b.path) || order(a.match, b.match))
  const exact = new Set(sorted.filter(({ match }) => match === 'exact').map(({ path }) => path))
  return sorted.flatMap((redirect) => placesOf(redirect, exact).flatMap((place) => [place, ...answer(redirect), '  }']))
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function placesOf({ path, match }: Redirect, exact: ReadonlySet<string>): string[] {
  if (match === 'exact') return [`  location = ${path} {`]
  if (path === '/') return ['  location / {']
  return [...(exact.has(path) ? [] : [`  location = ${path} {`]), `  location ^~ ${path}/ {`]
}

const answer = ({ status, target, keepPath }: Redirect): Lines => [
  `    return ${status} "${keepPath ? `${target.replace(/\/$/, '')}$request_uri` : target}";`,
]
