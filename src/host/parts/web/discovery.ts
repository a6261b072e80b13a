import { autoconfig, autodiscover, noActiveSync } from '../../../shared/mail-programs.ts'
import type { Lines } from '../spec.ts'
import { previewSocket } from './preview.ts'
import type { SiteMail } from './state.ts'

/**
 * What mail programs ask for the settings of an address, which are the same for every address of a domain. nginx answers
 * by itself, from a server behind its own socket: what `return` answers directly is not limited.
 */
const inner = 'panel-discovery'

const MAX_BODY_KB = 8

/** An address that XML has as it is written. */
const address = "[a-z0-9_.'=~+-]{1,64}@[a-z0-9.-]{1,190}"

const json =
  '{"Protocol":"AutodiscoverV1","Url":"https://autodiscover.$http_x_panel_domain/autodiscover/autodiscover.xml"}'

/** Quoted, as nginx reads it. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const answer = (path: string, type: string, text: string, ...before: string[]): Lines => [
  `  location = ${path} {`,
  `    default_type '${type}; charset=utf-8';`,
  ...before,
  `    return 200 ${quoted(text)};`,
  '  }',
]

const host = '$http_x_panel_host'

/** Once, for all sites. */
export const discovery: Lines = [
  'limit_req_zone $panel_client zone=panel_discovery:10m rate=60r/m;',
  // What Outlook posts is read by no parser, so nothing in it is expanded.
  'map $request_body $panel_schema {',
  '  default outlook;',
  '  "~*<!(?:DOCTYPE|ENTITY)" refused;',
  '  "~*/autodiscover/mobilesync/" mobilesync;',
  '}',
  'map $request_body $panel_asked {',
  "  default '';",
  `  "~*<EMailAddress>\\s*(?<panel_address>${address})\\s*</EMailAddress>" $panel_address;`,
  '}',
  "map $http_x_panel_asked $panel_login_name { '' ''; default '<LoginName>$http_x_panel_asked</LoginName>'; }",
  'server {',
  `  listen ${previewSocket};`,
  `  server_name ${inner};`,
  "  set $panel_account '';",
  "  set $panel_hsts_value '';",
  "  set $panel_expires_value '';",
  '  access_log off;',
  ...answer('/autoconfig', 'text/xml', autoconfig('%EMAILADDRESS%', '$http_x_panel_domain', host)),
  ...answer(
    '/outlook',
    'text/xml',
    autodiscover('$panel_login_name', host),
    '    if ($http_x_panel_schema = refused) {',
    '      return 400;',
    '    }',
    '    if ($http_x_panel_schema = mobilesync) {',
    `      return 200 ${quoted(noActiveSync)};`,
    '    }',
  ),
  ...answer('/json', 'application/json', json),
  '  location / {',
  '    return 404;',
  '  }',
  '}',
]

const onward = (domain: string, server: string): Lines => [
  '    limit_req zone=panel_discovery burst=59 nodelay;',
  `    client_max_body_size ${MAX_BODY_KB}k;`,
  `    client_body_buffer_size ${MAX_BODY_KB}k;`,
  '    client_body_in_single_buffer on;',
  `    proxy_pass http://${previewSocket}:;`,
  '    proxy_pass_request_headers off;',
  '    proxy_pass_request_body off;',
  `    proxy_set_header Host ${inner};`,
  "    proxy_set_header Content-Length '';",
  `    proxy_set_header X-Panel-Domain ${domain};`,
  `    proxy_set_header X-Panel-Host ${server};`,
  '    proxy_set_header X-Panel-Schema $panel_schema;',
  '    proxy_set_header X-Panel-Asked $panel_asked;',
]

const place = (match: string, uri: string, requestLines: Lines): Lines => [
  `  location ${match} {`,
  `    rewrite ^ ${uri} break;`,
  ...requestLines,
  '  }',
]

/** What the names below a domain answer; nothing where its mail is not here. */
export function discoveryPlaces(domain: string, { server }: SiteMail): Lines {
  if (server === undefined) return []
  const requestLines = onward(domain, server)
  return [
    ...place('= /mail/config-v1.1.xml', '/autoconfig', requestLines),
    ...place('= /.well-known/autoconfig/mail/config-v1.1.xml', '/autoconfig', requestLines),
    ...place('~* ^/autodiscover/autodiscover\\.xml$', '/outlook', requestLines),
    ...place('~* ^/autodiscover/autodiscover\\.json(?:/v1\\.0/[^/]*)?$', '/json', requestLines),
  ]
}

const wellKnown = '~ ^/\\.well-known/autoconfig/mail/config-v1\\.1\\.xml$'
const fallback = '@panel_autoconfig'

/** The same below the domain itself, where a file of the site comes first. */
export function wellKnownPlaces(domain: string, { server }: SiteMail, site: Lines | undefined): Lines {
  if (server === undefined) return []
  const own = site ? [...site, '    proxy_intercept_errors on;', `    error_page 404 = ${fallback};`] : undefined
  return [
    `  location ${wellKnown} {`,
    ...(own ?? ['    default_type text/xml;', `    try_files $uri ${fallback};`]),
    '  }',
    ...place(fallback, '/autoconfig', onward(domain, server)),
  ]
}

const lineEnd = '\\r\\n'

/** The policy that senders of mail read at `mta-sts`; nginx makes its line ends. */
export function policyPlace(domain: string, { policy }: SiteMail): Lines {
  if (!policy) return []
  const { mode, maxAge, mx } = policy
  const lines = ['version: STSv1', `mode: ${mode}`, ...mx.map((host) => `mx: ${host}`), `max_age: ${maxAge}`]
  return [
    '  location = /.well-known/mta-sts.txt {',
    '    default_type text/plain;',
    `    if ($host != mta-sts.${domain}) {`,
    '      return 404;',
    '    }',
    `    return 200 '${lines.map((line) => `${line}${lineEnd}`).join('')}';`,
    '  }',
  ]
}
