import { frontSocket } from '../../../shared/driver.ts'
import type { MachineFacts } from '../../contract/facts.ts'
import type { Lines } from '../spec.ts'
import { acme } from '../web/places.ts'
import { previewCertificate } from '../web/preview.ts'
import { sharedVariables } from '../web/rules.ts'
import { compressedTypes, encrypted, headerTimeout, plain } from '../web/vhost.ts'
import { places as ofProgram, type Program } from './programs.ts'
import type { ServerState } from './state.ts'

export const serverFiles = { certificate: 'etc/panel/tls/_server.crt', key: 'etc/panel/tls/_server.key' }

const nowhere: Lines = ['  location / {', '    return 404;', '  }']
const toHttps: Lines = ['  location / {', '    return 301 https://$host$request_uri;', '  }']

/** Its option holds for all servers with the socket: without it, packets would reach any of nginx's workers. */
export const quicSocket: Lines = [
  'server {',
  '  listen 443 quic reuseport default_server;',
  '  listen [::]:443 quic reuseport default_server;',
  '  server_name _;',
  headerTimeout,
  "  set $panel_account '';",
  ...sharedVariables,
  '  ssl_reject_handshake on;',
  '  return 444;',
  '}',
]

/** For all servers at once, in a file by itself: without the module, nginx refuses each of these lines. */
export const brotli: Lines = ['brotli on;', 'brotli_min_length 512;', `brotli_types ${compressedTypes};`]

/** Names of previews that have ended. */
export const endedPreviews = (hostname: string, facts: MachineFacts): Lines =>
  server([...plain, ...encrypted(facts)], `*.${hostname}`, [
    "  set $panel_account '';",
    ...sharedVariables,
    `  ssl_certificate /${previewCertificate.certificate};`,
    `  ssl_certificate_key /${previewCertificate.key};`,
    '  access_log off;',
    '  return 404;',
  ])

/** The panel itself limits sizes and times, and streams its answers. */
const panel: Lines = [
  '  client_max_body_size 0;',
  '  location / {',
  `    proxy_pass http://unix:${frontSocket}:;`,
  '    proxy_http_version 1.1;',
  '    proxy_set_header Host $host;',
  "    proxy_set_header Connection '';",
  '    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  '    proxy_request_buffering off;',
  '    proxy_buffering off;',
  '    proxy_read_timeout 300s;',
  '    proxy_send_timeout 300s;',
  '  }',
]

const server = (listen: Lines, name: string, ...parts: Lines[]): Lines => [
  'server {',
  ...listen,
  `  server_name ${name};`,
  headerTimeout,
  ...parts.flat(),
  '}',
]

const certificate: Lines = [
  `  ssl_certificate /${serverFiles.certificate};`,
  `  ssl_certificate_key /${serverFiles.key};`,
]

/** What a name serves on 443; without content it answers only ACME challenges. */
function servers(name: string, visible: Lines | undefined, facts: MachineFacts): Lines {
  if (!visible) return server(plain, name, acme, nowhere)
  const secure = server(encrypted(facts), name, certificate, acme, visible.length > 0 ? visible : nowhere)
  return [...server(plain, name, acme, toHttps), ...secure]
}

/** The virtual hosts of the server's own names. */
export function vhosts({ hostname, front, ...names }: ServerState, facts: MachineFacts): Lines {
  const program = (one: Program) =>
    servers(names[one], facts.programs?.includes(one) ? ofProgram[one] : undefined, facts)
  return [...servers(hostname, front ? panel : undefined, facts), ...program('webmail'), ...program('phpmyadmin')]
}
