import type { Redirect, Site, WebState } from './state.ts'

/** Lines of a server's block, below its head. */
type Lines = readonly string[]

const hidden: Lines = ['  location ~ /\\. {', '    deny all;', '  }']

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

function fastcgi(socket: string): string[] {
  return [
    '    try_files $uri =404;',
    '    include fastcgi_params;',
    '    fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;',
    '    fastcgi_param HTTP_PROXY "";',
    `    fastcgi_pass unix:${socket};`,
  ]
}

/** Scripts that do not run are refused: their source is never served. */
function scripts(match: string, socket: string | undefined): string[] {
  return [`  location ${match} {`, ...(socket ? fastcgi(socket) : ['    return 404;']), '  }']
}

const files = (otherwise: string): Lines => ['  location / {', `    try_files $uri $uri/ ${otherwise};`, '  }']

interface Sockets {
  readonly fpm: string
  readonly cgi: string
}

const cgiPlace = '^~ /cgi-bin/'

/** The site itself; a redirect of its own takes the place of what would answer there. */
export function site({ handler, redirects }: Site, { cgi, php }: WebState, sockets: Sockets): Lines {
  if (redirects.some(isWhole)) return []
  const runsScripts = handler !== 'static'
  const cgiBin = redirects.some(({ path, match }) => match === 'prefix' && path === '/cgi-bin')
    ? []
    : scripts(cgiPlace, cgi && runsScripts ? sockets.cgi : undefined)
  return [
    ...hidden,
    ...cgiBin,
    ...files(handler === 'php-front' ? '/index.php?$args' : '=404'),
    ...scripts('~ \\.php$', php && runsScripts ? sockets.fpm : undefined),
  ]
}

/** Whether it takes all paths. */
const isWhole = ({ path, match }: Redirect): boolean => path === '/' && match === 'prefix'

/** By path and match; where both kinds have one path, the exact one answers it. */
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
