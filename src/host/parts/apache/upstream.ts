import { createHash } from 'node:crypto'
import type { Lines } from '../spec.ts'
import type { Site } from '../web/state.ts'
import { apacheSocket } from './units.ts'

/** Names of upstreams are nginx's, of all sites. */
const nameOf = ({ file }: Site): string =>
  `panel_apache_${createHash('sha256').update(file).digest('hex').slice(0, 24)}`

/** Idle connections to an account's Apache, for each worker of nginx; it closes them before Apache does. */
const MAX_IDLE_CONNECTIONS = 8
const KEEP_ALIVE_S = 15

const upstream = (name: string, socket: string): Lines => [
  `upstream ${name} {`,
  `  server unix:${socket};`,
  `  keepalive ${MAX_IDLE_CONNECTIONS};`,
  `  keepalive_timeout ${KEEP_ALIVE_S}s;`,
  '}',
]

/** Outside the server blocks of a site. */
export const upstreams = (username: string, site: Site): Lines => [
  ...upstream(nameOf(site), apacheSocket(username, 'http')),
  ...upstream(`${nameOf(site)}_tls`, apacheSocket(username, 'https')),
  `map $scheme $${nameOf(site)} {`,
  `  http http://${nameOf(site)};`,
  `  https https://${nameOf(site)}_tls;`,
  '}',
  ...(site.rules?.waf
    ? [
        `map $http_x_panel_scheme $${nameOf(site)}_visited {`,
        `  default http://${nameOf(site)};`,
        `  https https://${nameOf(site)}_tls;`,
        '}',
      ]
    : []),
]

/** Encrypted where the visitor is: scripts and rewrite rules ask. */
export const passOn = (site: Site): string => `    proxy_pass $${nameOf(site)};`

/** The same for visitors who come encrypted over a socket. */
export const passOnEncrypted = (line: string): string =>
  line.replace(/^ {4}proxy_pass \$(panel_apache_\w+);$/, '    proxy_pass https://$1_tls;')

/** The same for visitors of whom a first server says how they came. */
export const passOnVisited = (line: string): string =>
  line.replace(/^ {4}proxy_pass \$(panel_apache_\w+);$/, '    proxy_pass $$$1_visited;')
