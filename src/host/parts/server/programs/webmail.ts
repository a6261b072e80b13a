import type { Lines } from '../../spec.ts'
import { head, location, otherwise, script, silent } from './fastcgi.ts'

const root = '/var/lib/roundcube/public_html'
const index = (more: Lines = []): Lines => script('webmail', '/index.php', `${root}/index.php`, more)
const visible = 'css|js|map|svg|png|gif|jpe?g|ico|webp|woff2?|ttf|eot|mp3'

/** Roundcube: its one page and its assets, and nothing else from its package. */
export const webmail: Lines = [
  `  root ${root};`,
  ...head,
  ...location('= /open', [...silent, ...index(['fastcgi_param PANEL_LINK 1;'])]),
  ...location('= /', index()),
  ...location('= /index.php', index()),
  ...location(`~ ^/(?:plugins|program|skins)/.+\\.(?:${visible})$`, ['    try_files $uri =404;']),
  ...location('~ ^/skins/[^/]+/watermark\\.html$', ['    try_files $uri =404;']),
  ...otherwise,
]
