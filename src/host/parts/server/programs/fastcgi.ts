import type { ProgramName } from '../../../contract/programs.ts'
import type { Lines } from '../../spec.ts'
import { uploads } from '../../web/uploads.ts'

/** An allowlist: scripts that the program does not mean to expose are not run. */
const params: Readonly<Record<string, string>> = {
  QUERY_STRING: '$query_string',
  REQUEST_METHOD: '$request_method',
  CONTENT_TYPE: '$content_type',
  CONTENT_LENGTH: '$content_length',
  REQUEST_URI: '$request_uri',
  DOCUMENT_ROOT: '$document_root',
  SERVER_PROTOCOL: '$server_protocol',
  REQUEST_SCHEME: '$scheme',
  HTTPS: 'on',
  GATEWAY_INTERFACE: 'CGI/1.1',
  SERVER_SOFTWARE: 'nginx',
  REMOTE_ADDR: '$remote_addr',
  REMOTE_PORT: '$remote_port',
  SERVER_ADDR: '$server_addr',
  SERVER_PORT: '443',
  SERVER_NAME: '$server_name',
  HTTP_PROXY: '""',
  HTTP_COOKIE: '$panel_cookies',
}

/** Scripts of each program that one address, or IPv6 /64, runs at a time: their places are everybody's. */
const MAX_SCRIPTS_PER_ADDRESS = 8

/** Makes a program's PHP run one script, whatever the URL. */
export function script(program: ProgramName, name: string, file: string, more: Lines = []): Lines {
  const input = { ...params, SCRIPT_NAME: name, SCRIPT_FILENAME: file }
  return [
    ...Object.entries(input).map(([param, value]) => `    fastcgi_param ${param} ${value};`),
    ...more.map((line) => `    ${line}`),
    ...[`limit_conn panel_programs ${MAX_SCRIPTS_PER_ADDRESS};`, ...uploads].map((line) => `    ${line}`),
    '    fastcgi_read_timeout 300s;',
    '    fastcgi_max_temp_file_size 0;',
    `    fastcgi_pass unix:/run/panel-${program}/fpm.sock;`,
  ]
}

export const location = (match: string, lines: Lines): Lines => [`  location ${match} {`, ...lines, '  }']

/** The panel's cookies are for its own name. If one reaches another name all the same, it is dropped. */
export const head: Lines = [
  '  set $panel_cookies $http_cookie;',
  '  if ($http_cookie ~ "panel_(?:admin|user)=") {',
  '    set $panel_cookies "";',
  '  }',
  '  client_max_body_size 65m;',
  '  set $panel_account $server_name;',
  // Request URLs contain links.
  '  access_log off;',
]

/** Error messages that could reveal a link are not logged. */
export const silent: Lines = ['    error_log /dev/null crit;']

export const otherwise: Lines = location('/', ['    return 404;'])
