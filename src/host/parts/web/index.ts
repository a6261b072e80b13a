import { homeOf } from '../../homes/home-paths.ts'
import { apacheDirs, apacheFiles, apacheFolder } from '../apache/config.ts'
import { part } from '../part.ts'
import { type FileSpec, systemDir, systemFile } from '../spec.ts'
import { discovery } from './discovery.ts'
import { loginLimits } from './logins.ts'
import { suspendedPage, welcomePage } from './pages.ts'
import { previewFolder } from './preview.ts'
import { rootDirs } from './roots.ts'
import { includeFiles, sharedMaps, sharedVariables, visitorFiles } from './rules.ts'
import { checkWeb } from './state.ts'
import { apacheOf, headerTimeout, vhost } from './vhost.ts'
import { wafMaps } from './waf.ts'

function page(name: string, content: string): FileSpec {
  return { path: `var/lib/panel-host/pages/${name}.html`, content, mode: 0o644, uid: 'root', gid: 'root' }
}

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
    ...loginLimits,
    ...wafMaps,
    // Programs of the machine share its address.
    'map $panel_network $panel_client { "" loopback; default $panel_network; }',
    'limit_conn_zone "$server_name $panel_client" zone=panel_programs:10m;',
    ...discovery,
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
  page('suspended', suspendedPage),
  page('welcome', welcomePage),
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
    systemDir('etc/panel/nginx/include', 0o700),
    systemDir('var/lib/panel-host/pages', 0o755),
    // Its entries are named after accounts.
    systemDir(apacheFolder, 0o711),
    { ...systemDir('etc/systemd', 0o755), border: false },
    { ...systemDir('etc/systemd/system', 0o755), border: false },
    { ...systemDir('run', 0o755), border: false },
    systemDir(previewFolder, 0o750, 'www-data'),
  ],
  files: shared,
  check: checkWeb,
  render(core, state, _server, facts) {
    const files = state.sites.map((site) => vhost(core, site, state, facts))
    if (core.suspended) return { dirs: [], files }
    const apache = apacheOf(core, state, facts)
    return {
      dirs: [...rootDirs(core, state.sites), ...apacheDirs(core, apache)],
      files: [
        // Before the sites that include them.
        ...state.sites.flatMap((site) => [...includeFiles(core, site), ...visitorFiles(core, site)]),
        ...apacheFiles(core, apache, state.idleMinutes ?? 0),
        ...files,
      ],
    }
  },
  named: ({ username, mainDomain }, domain, { sites }) =>
    sites.some(({ documentRoot }) => documentRoot === `sites/${mainDomain}/public`)
      ? [`${homeOf(username)}/sites/${domain}`]
      : [],
})
