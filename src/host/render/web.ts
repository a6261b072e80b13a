import type { AccountState } from '../driver.ts'
import { hasPhp, phpSocket } from './php.ts'
import { type DirSpec, type FileSpec, ownerLine, type Rendered, systemDir, systemFile } from './spec.ts'

const suspendedPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Site suspended</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#333}</style>
<h1>This site is suspended</h1>
<p>It is not available at the moment. If it is yours, please contact your hosting provider.</p>
</html>
`

const hidden = ['  location ~ /\\. {', '    deny all;', '  }']

const acme = [
  '  location ^~ /.well-known/acme-challenge/ {',
  '    root /var/lib/panel/acme;',
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

function site(account: AccountState): string[] {
  return [
    ...hidden,
    ...scripts('^~ /cgi-bin/', account.cgi ? `/run/panel/cgi-${account.username}.sock` : undefined),
    '  location / {',
    '    try_files $uri $uri/ =404;',
    '  }',
    ...scripts('~ \\.php$', hasPhp(account) ? phpSocket(account.username) : undefined),
  ]
}

const closed = [
  '  error_page 503 /suspended.html;',
  '  location = /suspended.html {',
  '    internal;',
  '    root /var/lib/panel/pages;',
  '  }',
  '  location / {',
  '    return 503;',
  '  }',
]

function head({ username, mainDomain }: AccountState): string[] {
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
export function renderWeb(account: AccountState): Rendered {
  const places = account.suspended ? closed : site(account)
  const lines = [ownerLine('#', account), 'server {', ...head(account), ...acme, ...places, '}']
  return { dirs: [], files: [systemFile(`etc/panel/nginx/sites/${account.mainDomain}.conf`, 0o600, lines)] }
}

/** 0700: names of sites that can be listed leak who is hosted here. */
export const webDirs: readonly DirSpec[] = [
  systemDir('etc/panel/nginx', 0o755),
  systemDir('etc/panel/nginx/sites', 0o700),
  systemDir('var/lib/panel/acme', 0o755),
  systemDir('var/lib/panel/pages', 0o755),
]

/** What all sites share. */
export const webFiles: readonly FileSpec[] = [
  systemFile('etc/panel/nginx/panel.conf', 0o644, [
    "log_format panel_bw '$msec\\t$panel_account\\t$server_name\\t$status\\t$request_length\\t$bytes_sent';",
    'server_names_hash_max_size 8192;',
    'server_names_hash_bucket_size 512;',
    'include /etc/panel/nginx/sites/*.conf;',
  ]),
  { path: 'var/lib/panel/pages/suspended.html', content: suspendedPage, mode: 0o644, uid: 'root', gid: 'root' },
]
