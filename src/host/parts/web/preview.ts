import { passOnEncrypted } from '../apache/upstream.ts'
import type { Lines } from '../spec.ts'
import type { SiteRules } from './rules-state.ts'

/** Only nginx reaches it: who does may say whose visit it is. */
export const previewFolder = 'run/panel-preview'
export const previewSocket = `unix:/${previewFolder}/nginx.sock`

export const previewCertificate = { certificate: 'etc/panel/tls/_preview.crt', key: 'etc/panel/tls/_preview.key' }

/** The site under its own names, for the server of its preview alone. */
export const previewListen: Lines = [
  `  listen ${previewSocket};`,
  '  set_real_ip_from unix:;',
  '  real_ip_header X-Panel-Visitor;',
]

/** What holds under the real name alone stays out: HSTS, the canonical name, and proxies before the site. */
export const previewRules = ({ canonical: _, hstsDays: _days, realIp: _networks, ...rules }: SiteRules): SiteRules =>
  rules

/** Visitors of a preview come encrypted, though the socket is not. */
export const asEncrypted = (lines: Lines): Lines =>
  lines.flatMap((line) => {
    if (line.startsWith('    proxy_set_header X-Forwarded-Proto '))
      return ['    proxy_set_header X-Forwarded-Proto https;']
    return line.startsWith('    fastcgi_pass ') ? [...encryptedParams, line] : [passOnEncrypted(line)]
  })
const encryptedParams: Lines = [
  '    fastcgi_param HTTPS on;',
  '    fastcgi_param REQUEST_SCHEME https;',
  '    fastcgi_param SERVER_PORT 443;',
]

const MAX_SCRIPT_WAIT_S = 330

/** What the preview's own server does: it shows the site with its own name in place of the site's. */
export function previewPlace(preview: string, names: readonly string[]): Lines {
  const [name] = names as readonly [string]
  const pattern = `(?:${names.map((one) => one.replaceAll('.', '\\.')).join('|')})`
  const own = preview.replaceAll('.', '\\.')
  return [
    `  ssl_certificate /${previewCertificate.certificate};`,
    `  ssl_certificate_key /${previewCertificate.key};`,
    '  access_log off;',
    '  server_tokens off;',
    '  client_max_body_size 0;',
    "  add_header X-Robots-Tag 'noindex, nofollow' always;",
    '  set $panel_preview_referer $http_referer;',
    `  if ($http_referer ~ "^https://${own}(/.*)?$") {`,
    `    set $panel_preview_referer https://${name}$1;`,
    '  }',
    '  set $panel_preview_origin $http_origin;',
    `  if ($http_origin = https://${preview}) {`,
    `    set $panel_preview_origin https://${name};`,
    '  }',
    '  location / {',
    `    proxy_pass http://${previewSocket}:;`,
    '    proxy_http_version 1.1;',
    `    proxy_set_header Host ${name};`,
    '    proxy_set_header X-Panel-Visitor $remote_addr;',
    "    proxy_set_header X-Forwarded-For '';",
    "    proxy_set_header Accept-Encoding '';",
    '    proxy_set_header Referer $panel_preview_referer;',
    '    proxy_set_header Origin $panel_preview_origin;',
    '    proxy_set_header Upgrade $http_upgrade;',
    '    proxy_set_header Connection $panel_connection;',
    '    proxy_hide_header Strict-Transport-Security;',
    '    proxy_hide_header X-Robots-Tag;',
    '    proxy_max_temp_file_size 0;',
    '    proxy_request_buffering off;',
    `    proxy_read_timeout ${MAX_SCRIPT_WAIT_S}s;`,
    `    proxy_redirect "~^(?:https?:)?//${pattern}(?::[0-9]+)?(?<panel_rest>/.*)?$" https://${preview}$panel_rest;`,
    `    proxy_cookie_domain "~^\\.?${pattern}$" ${preview};`,
    '    sub_filter_once off;',
    '    sub_filter_types text/css text/javascript application/javascript application/json;',
    ...names.flatMap((one) => links(one, preview)),
    '  }',
  ]
}

/** Absolute links, also as JSON has them. */
const links = (name: string, preview: string): Lines =>
  [
    ['http://', 'https://'],
    ['https://', 'https://'],
    ['//', '//'],
    ['http:\\/\\/', 'https:\\/\\/'],
    ['https:\\/\\/', 'https:\\/\\/'],
    ['\\/\\/', '\\/\\/'],
  ].map(([from, to]) => `    sub_filter '${from}${name}' '${to}${preview}';`)
