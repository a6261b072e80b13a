import type { MachineFacts } from '../../contract/facts.ts'
import { passOnVisited } from '../apache/upstream.ts'
import type { Lines } from '../spec.ts'
import { isComplete } from './places.ts'
import { previewFolder } from './preview.ts'
import type { SiteWaf, WafException } from './rules-state.ts'
import type { Site } from './state.ts'

/**
 * ModSecurity reads a request's body before nginx counts requests and asks for passwords. So bodies that nginx would write
 * to files are counted first: they pass through a socket of nginx's own to the same site, which checks them there.
 */
const bodiesSocket = `unix:/${previewFolder}/waf.sock`

/** Requests with bodies at a time for one account, and of those the ones of a megabyte or more. */
const MAX_BODIES = 200
const MAX_UPLOADS = 20

/** Once, for all sites. */
export const wafMaps: Lines = [
  // Bodies that do not fit in the memory of a connection, or are of an unknown length.
  'map "$request_method:$http_transfer_encoding:$content_length" $panel_body {',
  '  default 1;',
  '  "~^[A-Z]+::[0-9]{1,4}$" "";',
  '  "~^(?:GET|HEAD|OPTIONS)::$" "";',
  '}',
  'limit_conn_zone $panel_account zone=panel_bodies:1m;',
  'limit_conn_zone $panel_upload zone=panel_body_uploads:1m;',
]

/** How its requests are checked; undefined where they are not. */
export const wafOf = ({ rules, handler, redirects }: Site, { waf }: MachineFacts): SiteWaf | undefined =>
  waf === false || handler === 'off' || redirects.some(isComplete) ? undefined : rules?.waf

/** The key tells the log whose request it was, whatever name the visitor sent. */
export const wafLines = (waf: SiteWaf | undefined): Lines =>
  waf
    ? [
        '  modsecurity on;',
        `  modsecurity_transaction_id "${waf.key}:$request_id";`,
        "  modsecurity_rules '",
        ...rulesOf(waf).map((line) => `    ${line}`),
        "  ';",
      ]
    : []

/** Ids of rules; those of setup's are below. */
const FIRST_ID = 20_000

const rulesOf = ({ mode, paranoia, wordpress, exceptions }: SiteWaf): string[] => [
  `SecRuleEngine ${mode === 'block' ? 'On' : 'DetectionOnly'}`,
  `SecAction "id:${FIRST_ID},phase:1,pass,nolog,t:none,setvar:tx.paranoia_level=${paranoia}${wordpress ? ',setvar:tx.crs_exclusions_wordpress=1' : ''}"`,
  ...exceptions.map((one, n) => exceptionRule(one, FIRST_ID + 1 + n)),
]

const exceptionRule = ({ rule, path, parameter }: WafException, id: number): string => {
  const removed = parameter === undefined ? `ruleRemoveById=${rule}` : `ruleRemoveTargetById=${rule};ARGS:${parameter}`
  const actions = `id:${id},phase:1,pass,nolog,t:none,ctl:${removed}`
  return path === undefined || path === '/'
    ? `SecAction "${actions}"`
    : `SecRule REQUEST_FILENAME "@rx ${below(path)}" "${actions}"`
}

const below = (path: string): string => `^${path.replace(/\/$/, '').replaceAll('.', '[.]')}(?:/|$)`

const counted: Lines = [
  `    limit_conn panel_bodies ${MAX_BODIES};`,
  `    limit_conn panel_body_uploads ${MAX_UPLOADS};`,
  '    limit_conn_status 429;',
]

/** Where the site itself listens for bodies that were counted. */
export const bodiesListen: Lines = [
  `  listen ${bodiesSocket};`,
  '  set_real_ip_from unix:;',
  '  real_ip_header X-Panel-Visitor;',
]

/** An app takes what is long as a stream, unchecked; a site of files takes no bodies. */
export function bodiesPlaces({ handler }: Site, onward: Lines | undefined): Lines {
  if (handler === 'static') return ['  if ($panel_body) {', '    return 405;', '  }']
  return [
    ...(onward
      ? [
          '  error_page 491 = @panel_upload;',
          '  if ($panel_upload) {',
          '    return 491;',
          '  }',
          '  location @panel_upload {',
          '    modsecurity off;',
          ...onward,
          '  }',
        ]
      : []),
    '  error_page 490 = @panel_body;',
    '  if ($panel_body) {',
    '    return 490;',
    '  }',
    '  location @panel_body {',
    '    modsecurity off;',
    '    access_log off;',
    ...counted,
    `    proxy_pass http://${bodiesSocket}:;`,
    '    proxy_http_version 1.1;',
    '    proxy_request_buffering off;',
    '    proxy_buffering off;',
    "    proxy_set_header Connection '';",
    '    proxy_set_header Host $host;',
    '    proxy_set_header X-Panel-Visitor $remote_addr;',
    '    proxy_set_header X-Panel-Https $https;',
    '    proxy_set_header X-Panel-Scheme $scheme;',
    '    proxy_set_header X-Panel-Port $server_port;',
    `    proxy_read_timeout ${MAX_WAIT_S}s;`,
    '  }',
  ]
}

/** Longer than any site waits for its scripts. */
const MAX_WAIT_S = 3700

/** The site as its visitor came to it, by what the first server says of that. */
export const asVisited = (lines: Lines): Lines =>
  lines.flatMap((line) => {
    if (line.startsWith('    proxy_set_header X-Forwarded-Proto '))
      return ['    proxy_set_header X-Forwarded-Proto $http_x_panel_scheme;']
    return line.startsWith('    fastcgi_pass ') ? [...visitedParams, line] : [passOnVisited(line)]
  })
const visitedParams: Lines = [
  '    fastcgi_param HTTPS $http_x_panel_https if_not_empty;',
  '    fastcgi_param REQUEST_SCHEME $http_x_panel_scheme;',
  '    fastcgi_param SERVER_PORT $http_x_panel_port;',
]
