import { homeOf } from '../../homes/home-paths.ts'
import { part } from '../part.ts'
import { type FileSpec, systemDir, systemFile } from '../spec.ts'
import { suspendedPage } from './pages.ts'
import { firstPages, rootDirs } from './roots.ts'
import { sharedMaps, sharedVariables, visitorFiles } from './rules.ts'
import { checkWeb } from './state.ts'
import { headerTimeout, vhost } from './vhost.ts'

/** What all sites share. */
const shared: readonly FileSpec[] = [
  systemFile('etc/panel/nginx/panel.conf', 0o644, [
    "log_format panel_bw '$msec\\t$panel_account\\t$server_name\\t$status\\t$request_length\\t$bytes_sent';",
    // Requests to apps: only websockets keep the connection open.
    "map $http_upgrade $panel_connection { default upgrade; '' close; }",
    // Requests with bodies of a megabyte or more, or of an unknown length.
    'map "$request_method:$http_transfer_encoding:$content_length" $panel_upload {',
    '  default $panel_account;',
    '  "~^[A-Z]+::[0-9]{1,6}$" "";',
    '  "~^(?:GET|HEAD|OPTIONS)::$" "";',
    '}',
    'limit_conn_zone $binary_remote_addr zone=panel_addresses:10m;',
    ...['scripts', 'apps'].map((zone) => `limit_conn_zone $panel_account zone=panel_${zone}:1m;`),
    'limit_conn_zone $panel_upload zone=panel_uploads:1m;',
    ...sharedMaps,
    'server_names_hash_max_size 8192;',
    'server_names_hash_bucket_size 512;',
    // Unknown names get no answer and no certificate.
    'server {',
    '  listen 80 default_server;',
    '  listen [::]:80 default_server;',
    '  listen 443 ssl default_server;',
    '  listen [::]:443 ssl default_server;',
    '  server_name _;',
    headerTimeout,
    // Without a site, nothing else would define the variable that the log format uses.
    "  set $panel_account '';",
    ...sharedVariables,
    '  ssl_reject_handshake on;',
    '  return 444;',
    '}',
    // The server's own names, once they are known.
    'include /etc/panel/nginx/server/*.conf;',
    'include /etc/panel/nginx/sites/*.conf;',
  ]),
  { path: 'var/lib/panel-host/pages/suspended.html', content: suspendedPage, mode: 0o644, uid: 'root', gid: 'root' },
]

/** The account's sites. The inside of a suspended home is untouched. */
export const web = part({
  name: 'web',
  dirs: [
    systemDir('etc/panel/nginx', 0o755),
    systemDir('etc/panel/nginx/server', 0o755),
    // A listable directory of sites would reveal who is hosted here.
    systemDir('etc/panel/nginx/sites', 0o700),
    systemDir('etc/panel/nginx/access', 0o750, 'www-data'),
    systemDir('var/lib/panel-host/pages', 0o755),
  ],
  files: shared,
  check: checkWeb,
  render(core, state, _server, facts) {
    const files = state.sites.map((site) => vhost(core, site, state, facts))
    if (core.suspended) return { dirs: [], files }
    return {
      dirs: rootDirs(core, state.sites),
      files: [...files, ...state.sites.flatMap((site) => visitorFiles(core, site)), ...firstPages(core, state.sites)],
    }
  },
  named: ({ username, mainDomain }, domain, { sites }) =>
    sites.some(({ documentRoot }) => documentRoot === `sites/${mainDomain}/public`)
      ? [`${homeOf(username)}/sites/${domain}`]
      : [],
})
