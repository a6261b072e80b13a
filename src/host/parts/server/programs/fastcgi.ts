import type { ProgramName } from '../../../programs.ts'

/** Lines within the server of a name. */
export type Lines = readonly string[]

/** Named one by one: a script that the program does not mean to be asked for is not run. */
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

/** Has PHP of a program run one script, whatever was asked for. */
export function script(program: ProgramName, name: string, file: string, more: Lines = []): Lines {
  const given = { ...params, SCRIPT_NAME: name, SCRIPT_FILENAME: file }
  return [
    ...Object.entries(given).map(([param, value]) => `    fastcgi_param ${param} ${value};`),
    ...more.map((line) => `    ${line}`),
    '    fastcgi_read_timeout 300s;',
    `    fastcgi_pass unix:/run/panel-${program}/fpm.sock;`,
  ]
}

export const location = (match: string, lines: Lines): Lines => [`  location ${match} {`, ...lines, '  }']

/** The panel's cookies are for its own name. One that reaches another all the same goes no further. */
export const head: Lines = [
  '  set $panel_cookies $http_cookie;',
  '  if ($http_cookie ~ "panel_(?:admin|user)=") {',
  '    set $panel_cookies "";',
  '  }',
  '  client_max_body_size 65m;',
  // What is asked for holds links.
  '  access_log off;',
]

/** What would tell of a link in an error is not written down. */
export const silent: Lines = ['    error_log /dev/null crit;']

export const otherwise: Lines = location('/', ['    return 404;'])
