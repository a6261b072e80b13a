import { randomBytes } from 'node:crypto'
import { sqlGroup } from '../../../debian/db/sockets.ts'
import { openers, programPlaces } from '../../../debian/programs/places.ts'
import type { Do, SetupStep } from '../../step.ts'
import { ensureFolders, poolFiles } from './pool.ts'
import { takeLink } from './take-link.ts'

const { user, folder } = programPlaces.phpmyadmin

/** The only way in is a session begun by a link. An existing secret is kept. */
const configuration = (found: string): string => `<?php
// Written by \`panel host setup\`.
$cfg['blowfish_secret'] = '${/'blowfish_secret'\] = '([0-9a-f]{32})'/.exec(found)?.[1] ?? randomBytes(16).toString('hex')}';
$i = 1;
$cfg['Servers'] = [1 => [
    'auth_type' => 'signon',
    'SignonSession' => 'PanelSignon',
    'SignonCookieParams' => ['lifetime' => 0, 'path' => '/', 'domain' => '', 'secure' => true, 'httponly' => true],
    'SignonURL' => '/open',
    'LogoutURL' => '/open',
    'host' => 'localhost',
    'socket' => '/run/mysqld/mysqld.sock',
    'AllowRoot' => false,
    'AllowNoPassword' => false,
    'hide_db' => '^information_schema$',
]];
$cfg['AllowArbitraryServer'] = false;
$cfg['AllowUserDropDatabase'] = false;
$cfg['ShowCreateDb'] = false;
$cfg['PmaNoRelation_DisableWarning'] = true;
$cfg['VersionCheck'] = false;
$cfg['SendErrorReports'] = 'never';
$cfg['TempDir'] = '${folder}/temp';
$cfg['UploadDir'] = '';
$cfg['SaveDir'] = '';
`

const opener = `<?php
// Written by \`panel host setup\`. Begins the session that a link of panel stands for.
declare(strict_types=1);

${takeLink('phpmyadmin')}
$login = panel_take_link();
// What another account has left in this browser is not shown.
foreach (array_keys($_COOKIE) as $name) {
    if (str_starts_with((string) $name, 'phpMyAdmin')) {
        setcookie((string) $name, '', ['expires' => 1, 'path' => '/', 'secure' => true, 'httponly' => true]);
    }
}
session_name('PanelSignon');
session_set_cookie_params(['path' => '/', 'secure' => true, 'httponly' => true, 'samesite' => 'Lax']);
session_start();
session_regenerate_id(true);
$_SESSION = ['PMA_single_signon_user' => $login['user'], 'PMA_single_signon_password' => $login['password']];
session_write_close();
header('Location: /', true, 302);
`

async function joinGroup(run: Do): Promise<boolean> {
  const groups = (await run('/usr/bin/id', ['-nG', user])).trim().split(' ')
  if (groups.includes(sqlGroup)) return false
  await run('/usr/sbin/usermod', ['-a', '-G', sqlGroup, user])
  return true
}

export const phpmyadmin: SetupStep = {
  name: 'phpmyadmin',
  choice: 'mysql',
  packages: () => ['phpmyadmin'],
  answers: [
    'phpmyadmin phpmyadmin/dbconfig-install boolean false',
    'phpmyadmin phpmyadmin/reconfigure-webserver multiselect ',
  ],
  dirs: [{ path: folder, mode: 0o755 }],
  files: (facts) => [
    ...poolFiles(facts, 'phpmyadmin', {
      title: 'phpMyAdmin',
      sockets: 'AF_UNIX',
      hidden: ['/var/lib/phpmyadmin', programPlaces.webmail.folder],
      // Debian's configuration would read other files, which are the web server's.
      only: ['/etc/phpmyadmin', '/etc/phpmyadmin/config.inc.php', '/etc/phpmyadmin/conf.d'],
    }),
    { path: '/etc/phpmyadmin/conf.d/panel.php', content: configuration, mode: 0o640, group: user },
    { path: openers.phpmyadmin, content: opener, mode: 0o644 },
  ],
  prepare: async (run) => [await joinGroup(run), await ensureFolders(run, 'phpmyadmin')].includes(true),
  units: () => [{ name: 'panel-phpmyadmin.service', run: true }],
}
