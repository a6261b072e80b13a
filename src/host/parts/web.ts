import type { AccountCore } from '../account.ts'
import { fields, yesOrNo } from '../fields.ts'
import { homeOf } from '../home.ts'
import { part } from '../part.ts'
import { type DirSpec, type FileSpec, homeDir, ownerLine, systemDir, systemFile } from '../spec.ts'
import { suspendedPage, welcomePage } from './pages.ts'
import { phpSocket } from './php.ts'

export interface WebState {
  readonly cgi: boolean
  /** Whether the account has PHP processes to run scripts. */
  readonly php: boolean
}

const hidden = ['  location ~ /\\. {', '    deny all;', '  }']

const acme = [
  '  location ^~ /.well-known/acme-challenge/ {',
  '    root /var/lib/panel-host/acme;',
  '    default_type text/plain;',
  '    try_files $uri =404;',
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

function site({ username }: AccountCore, { cgi, php }: WebState): string[] {
  return [
    ...hidden,
    ...scripts('^~ /cgi-bin/', cgi ? `/run/panel/cgi-${username}.sock` : undefined),
    '  location / {',
    '    try_files $uri $uri/ =404;',
    '  }',
    ...scripts('~ \\.php$', php ? phpSocket(username) : undefined),
  ]
}

const closed = [
  '  error_page 503 /suspended.html;',
  '  location = /suspended.html {',
  '    internal;',
  '    root /var/lib/panel-host/pages;',
  '  }',
  '  location / {',
  '    return 503;',
  '  }',
]

function head({ username, mainDomain }: AccountCore): string[] {
  return [
    '  listen 80;',
    '  listen [::]:80;',
    `  server_name ${mainDomain} www.${mainDomain};`,
    `  set $panel_account ${username};`,
    `  root /home/${username}/sites/${mainDomain}/public;`,
    '  index index.html index.php;',
    // Without it a link in one home serves the files of another.
    `  disable_symlinks if_not_owner from=/home/${username}/sites/${mainDomain};`,
    `  access_log /var/log/panel/${username}/${mainDomain}.access.log combined;`,
    '  access_log /var/log/panel/bandwidth.log panel_bw;',
  ]
}

/** The site's virtual host; suspended, the same with one page, and certificates still renew. */
function vhost(core: AccountCore, state: WebState): FileSpec {
  const places = core.suspended ? closed : site(core, state)
  const lines = [ownerLine('#', core), 'server {', ...head(core), ...acme, ...places, '}']
  return systemFile(`etc/panel/nginx/sites/${core.mainDomain}.conf`, 0o600, lines)
}

const sitesOf = (username: string) => `${homeOf(username)}/sites`
const publicOf = ({ username, mainDomain }: AccountCore) => `${sitesOf(username)}/${mainDomain}/public`

function siteDirs(core: AccountCore): DirSpec[] {
  const sites = sitesOf(core.username)
  return [sites, `${sites}/${core.mainDomain}`, publicOf(core)].map((path) => homeDir(core, path, 0o755))
}

function firstPage(core: AccountCore): FileSpec {
  const path = `${publicOf(core)}/index.html`
  return { path, content: welcomePage, mode: 0o644, uid: core.uid, gid: core.uid, once: true }
}

/** What all sites share. */
const shared: readonly FileSpec[] = [
  systemFile('etc/panel/nginx/panel.conf', 0o644, [
    "log_format panel_bw '$msec\\t$panel_account\\t$server_name\\t$status\\t$request_length\\t$bytes_sent';",
    'server_names_hash_max_size 8192;',
    'server_names_hash_bucket_size 512;',
    'include /etc/panel/nginx/sites/*.conf;',
  ]),
  { path: 'var/lib/panel-host/pages/suspended.html', content: suspendedPage, mode: 0o644, uid: 'root', gid: 'root' },
]

/** The account's sites. Inside a suspended home nothing is touched. */
export const web = part({
  name: 'web',
  dirs: [
    systemDir('etc/panel/nginx', 0o755),
    // Names of sites that can be listed leak who is hosted here.
    systemDir('etc/panel/nginx/sites', 0o700),
    systemDir('var/lib/panel-host/acme', 0o755),
    systemDir('var/lib/panel-host/pages', 0o755),
  ],
  files: shared,
  check: fields<WebState>({ cgi: yesOrNo, php: yesOrNo }, 'web'),
  render(core, state) {
    if (core.suspended) return { dirs: [], files: [vhost(core, state)] }
    return { dirs: siteDirs(core), files: [vhost(core, state), firstPage(core)] }
  },
  named: ({ username }, domain) => [`${sitesOf(username)}/${domain}`],
})
