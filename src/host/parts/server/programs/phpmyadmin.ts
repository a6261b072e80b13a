import type { Lines } from '../../spec.ts'
import { head, location, otherwise, script, silent } from './fastcgi.ts'

const root = '/usr/share/phpmyadmin'
const opener = '/var/lib/panel-phpmyadmin/open.php'

/** phpMyAdmin: its two pages and their assets, and nothing else from its package. */
export const phpmyadmin: Lines = [
  `  root ${root};`,
  ...head,
  ...location('= /open', [...silent, ...script('phpmyadmin', '/open', opener)]),
  ...location('= /', script('phpmyadmin', '/index.php', `${root}/index.php`)),
  ...['index', 'url'].flatMap((name) =>
    location(`= /${name}.php`, script('phpmyadmin', `/${name}.php`, `${root}/${name}.php`)),
  ),
  ...location('~ \\.php$', ['    return 404;']),
  ...location('~ ^/(?:js|themes)/', ['    try_files $uri =404;']),
  ...location('= /favicon.ico', ['    try_files $uri =404;']),
  ...otherwise,
]
