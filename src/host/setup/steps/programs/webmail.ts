import { randomBytes } from 'node:crypto'
import { webmailAddress } from '../../../debian/local-clients.ts'
import { webmailDatabase as database, openers, programPlaces } from '../../../debian/programs/places.ts'
import type { Suite } from '../../../debian/suite.ts'
import type { Do, Facts, SetupStep } from '../../step.ts'
import { ensureFolders, poolFiles } from './pool.ts'
import { takeLink } from './take-link.ts'

const { user, folder } = programPlaces.webmail

/**
 * The certificate is for the server's name, not for loopback. Dovecot accepts passwords without TLS from its own
 * address. An existing key is kept.
 */
const configuration =
  ({ hostname }: Facts) =>
  (found: string): string =>
    `<?php
// Written by \`panel host setup\`.
$config['db_dsnw'] = 'sqlite:///${database}?mode=0600';
$config['des_key'] = '${/'des_key'\] = '([A-Za-z0-9+/_-]{24})'/.exec(found)?.[1] ?? randomBytes(18).toString('base64url')}';
$config['imap_host'] = '${webmailAddress}:143';
$config['imap_conn_options'] = ['socket' => ['bindto' => '${webmailAddress}:0']];
$config['smtp_host'] = 'ssl://127.0.0.1:465';
$config['smtp_user'] = '%u';
$config['smtp_pass'] = '%p';
$config['smtp_conn_options'] = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]];
$config['smtp_helo_host'] = '${hostname}';
$config['product_name'] = 'Webmail';
$config['support_url'] = '';
$config['plugins'] = ['panel'];
$config['skin'] = 'elastic';
$config['login_lc'] = 2;
$config['login_username_filter'] = 'email';
$config['login_rate_limit'] = 5;
$config['use_https'] = true;
$config['session_lifetime'] = 60;
$config['enable_installer'] = false;
$config['enable_spellcheck'] = false;
$config['log_driver'] = 'syslog';
$config['syslog_id'] = 'panel-webmail';
$config['log_logins'] = true;
$config['temp_dir'] = '${folder}/temp';
`

const plugin = `<?php
// Written by \`panel host setup\`. Begins the session that a link of panel stands for.

${takeLink('webmail')}
class panel extends rcube_plugin
{
    private array $login = [];

    public function init(): void
    {
        $this->add_hook('startup', [$this, 'startup']);
        $this->add_hook('authenticate', [$this, 'authenticate']);
        $this->add_hook('storage_connect', [$this, 'storage_connect']);
    }

    /** Tells the mail server who asks. */
    public function storage_connect($args)
    {
        return ['preauth_ident' => ['x-originating-ip' => $_SERVER['REMOTE_ADDR']]] + $args;
    }

    public function startup($args)
    {
        if (($_SERVER['PANEL_LINK'] ?? '') === '') {
            return $args;
        }
        $this->login = panel_take_link();
        if (!empty($_SESSION['user_id'])) {
            rcmail::get_instance()->kill_session();
        }
        return ['task' => 'login', 'action' => 'login'] + $args;
    }

    public function authenticate($args)
    {
        if ($this->login === []) {
            return $args;
        }
        return ['user' => $this->login['user'], 'pass' => $this->login['password'], 'cookiecheck' => false, 'valid' => true] + $args;
    }
}
`

const tables = `$file = '${database}';
@unlink("$file.new");
$db = new PDO("sqlite:$file.new");
$db->exec(file_get_contents('/usr/share/roundcube/SQL/sqlite.initial.sql'));
unset($db);
chmod("$file.new", 0600);
rename("$file.new", $file);`

const asUser = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--']

async function prepare(run: Do, { suite }: { readonly suite: Suite }): Promise<boolean> {
  const made = await ensureFolders(run, 'webmail')
  const isThere = await run('/usr/bin/test', ['-s', database]).then(
    () => true,
    () => false,
  )
  if (!isThere) await run('/usr/bin/setpriv', [...asUser, `/usr/bin/php${suite.php}`, '-r', tables])
  return made || !isThere
}

/** Roundcube. Its own login form accepts mailboxes with their passwords. */
export const webmail: SetupStep = {
  name: 'webmail',
  choice: 'mail',
  packages: () => ['roundcube-core', 'roundcube-sqlite3'],
  answers: [
    'roundcube-core roundcube/dbconfig-install boolean false',
    'roundcube-core roundcube/reconfigure-webserver multiselect ',
  ],
  dirs: [{ path: folder, mode: 0o755 }],
  files: (facts) => [
    ...poolFiles(facts, 'webmail', {
      title: 'Webmail (Roundcube)',
      sockets: 'AF_UNIX AF_INET AF_INET6',
      hidden: ['/run/mysqld', programPlaces.phpmyadmin.folder],
    }),
    { path: '/etc/roundcube/config.inc.php', content: configuration(facts), mode: 0o640, group: user },
    { path: openers.webmail, content: plugin, mode: 0o644 },
  ],
  prepare,
  // They belong to Debian's own setup, which runs as the web server's user.
  units: () => [
    { name: 'panel-webmail.service', run: true },
    { name: 'roundcube-cleandb.timer', run: false },
    { name: 'roundcube-gc.timer', run: false },
  ],
}
