import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { headerOf, padding } from '../../src/host/homes/archive/tar.ts'
import { sha512Crypt } from '../../src/shared/crypt.ts'

export interface Entry {
  readonly path: string | Buffer
  readonly content?: string | Buffer
  readonly link?: string
  readonly hard?: string
  readonly mode?: number
  readonly mtime?: number
  /** The type's letter in the header, for what no program should write. */
  readonly code?: string
  readonly isDirectory?: boolean
}

const made = Date.parse('2026-03-01T10:00:00Z') / 1000

/** A tar of these entries, as GNU tar writes it. */
export function tarOf(entries: readonly Entry[]): Buffer {
  const pieces: Buffer[] = []
  for (const entry of entries) {
    const { content, link, hard, isDirectory = false, mtime = made } = entry
    const bytes = Buffer.from(content ?? '')
    const type = link !== undefined ? 'link' : hard !== undefined ? 'hard' : isDirectory ? 'directory' : 'file'
    const path = Buffer.isBuffer(entry.path) ? entry.path : Buffer.from(entry.path)
    const size = type === 'file' ? bytes.length : 0
    const mode = entry.mode ?? (isDirectory ? 0o755 : 0o644)
    const target = link ?? hard
    const header = headerOf({
      path,
      type,
      mode,
      mtime,
      size,
      ...(target !== undefined && { target: Buffer.from(target) }),
    })
    if (entry.code) recode(header, entry.code)
    pieces.push(header, ...(type === 'file' ? [bytes, Buffer.alloc(padding(size))] : []))
  }
  return Buffer.concat([...pieces, Buffer.alloc(1024)])
}

function recode(header: Buffer, code: string): void {
  header.write(code, 156)
  header.fill(' ', 148, 156)
  const sum = header.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
}

export const filesOf = (files: Readonly<Record<string, string | Buffer>>): Entry[] =>
  Object.entries(files).map(([path, content]) => ({ path, content }))

/** The entries below one directory, as pkgacct packs them. */
export const below = (top: string, entries: readonly Entry[]): Entry[] => [
  { path: top, isDirectory: true },
  ...entries.map((entry) => ({
    ...entry,
    path: Buffer.concat([Buffer.from(`${top}/`), Buffer.from(entry.path)]),
    ...(entry.hard !== undefined && { hard: `${top}/${entry.hard}` }),
  })),
]

export const gzipped = (entries: readonly Entry[]): Buffer => gzipSync(tarOf(entries))

export const crypt = (password: string, salt = 'abcdefgh'): string => sha512Crypt(password, salt, createHash)

export const nativeHash = (password: string): string => {
  const once = createHash('sha1').update(password).digest()
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`
}

/** A dump as mysqldump writes it. */
export const dumpOf = (database: string, more = ''): string => `-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
-- Host: localhost    Database: ${database}
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
DROP TABLE IF EXISTS \`posts\`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE \`posts\` (
  \`id\` int NOT NULL AUTO_INCREMENT,
  \`title\` varchar(200) DEFAULT 'a;b',
  PRIMARY KEY (\`id\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
LOCK TABLES \`posts\` WRITE;
/*!40000 ALTER TABLE \`posts\` DISABLE KEYS */;
INSERT INTO \`posts\` VALUES (1,'it''s; GRANT ALL'),(2,'back\\\\slash \\'quoted\\' -- no comment');
/*!40000 ALTER TABLE \`posts\` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET sql_mode = 'ONLY_FULL_GROUP_BY' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=\`root\`@\`localhost\`*/ /*!50003 TRIGGER \`posts_bi\` BEFORE INSERT ON \`posts\` FOR EACH ROW BEGIN
  SET NEW.title = TRIM(NEW.title);
END */;;
DELIMITER ;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=\`root\`@\`localhost\` SQL SECURITY DEFINER */
/*!50001 VIEW \`titles\` AS select \`posts\`.\`title\` AS \`title\` from \`posts\` */;
${more}/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
-- Dump completed on 2026-03-01 10:00:00
`

/** The account of a blog with all that pkgacct packs. */
export function wordpress(): Entry[] {
  const hash = crypt('correct horse 1')
  return [
    ...filesOf({
      version: 'pkgacct version: 10.0.0\narchive version: 4\n',
      homedir_paths: '/home/alice\n',
      'cp/alice': `BWLIMIT=10737418240
CONTACTEMAIL=owner@elsewhere.example
DNS=alice.example
DNS1=shop.example
DISK_BLOCK_LIMIT=1048576
FEATURELIST=default
IP=192.0.2.10
LOCALE=de
MAXADDON=5
MAXFTP=unlimited
MAXPARK=2
MAXPOP=20
MAXSQL=10
MAXSUB=unlimited
MXCHECK-alice.example=local
MXCHECK-shop.example=remote
OWNER=root
PLAN=gold
STARTDATE=1577836800
USER=alice
UTF8MAILBOX=1
`,
      quota: '1024\n',
      shadow: `${hash}\n`,
      shell: '/usr/local/cpanel/bin/jailshell\n',
      'userdata/main': `---
addon_domains:
  shop.example: shop.alice.example
main_domain: alice.example
parked_domains:
  - alice.test
sub_domains:
  - blog.alice.example
  - shop.alice.example
`,
      'userdata/alice.example': `---
documentroot: /home/alice/public_html
homedir: /home/alice
ip: 192.0.2.10
phpversion: ea-php82
serveralias: alice.test www.alice.example www.alice.test
servername: alice.example
user: alice
`,
      'userdata/blog.alice.example': 'documentroot: /home/alice/public_html/blog\nphpversion: inherit\n',
      'userdata/shop.alice.example': 'documentroot: "/home/alice/shop.example"\nphpversion: ea-php74\n',
      'userdata/cache.json': '{}',
      'va/alice.example': `team@alice.example: one@elsewhere.example, two@elsewhere.example
info@alice.example: "info,copy@elsewhere.example"
info2@alice.example: info2@alice.example, copy@elsewhere.example
script@alice.example: "|/home/alice/bin/handle.php"
none@alice.example: :blackhole:
gone@alice.example: :fail: No such person
sales@alice.example: "|/usr/local/cpanel/bin/autorespond sales@alice.example /home/alice/.autorespond"
*: alice
`,
      'va/shop.example': '"*": everything@elsewhere.example\n',
      'dnszones/alice.example.db': `$TTL 14400
@ 86400 IN SOA ns1.old.example. root.old.example. (
  2026030100 3600 1800 1209600 86400 )
@ IN NS ns1.old.example.
alice.example. IN A 192.0.2.10
cpanel IN A 192.0.2.10
crm IN A 203.0.113.50
_cpanel-dcv-test-record IN TXT "_cpanel-dcv-test-record=abc"
`,
      'mysql/alice_wp.create': 'CREATE DATABASE `alice_wp` DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;\n',
      'mysql/alice_wp.sql': dumpOf('alice_wp'),
      'mysql/alice_stats.sql': dumpOf('alice_stats'),
      'mysql.sql': `-- cPanel mysql backup
GRANT USAGE ON *.* TO 'alice'@'localhost' IDENTIFIED BY PASSWORD '${nativeHash('correct horse 1')}';
GRANT ALL PRIVILEGES ON \`alice\\_%\`.* TO 'alice'@'localhost';
GRANT USAGE ON *.* TO 'alice_app'@'localhost' IDENTIFIED BY PASSWORD '${nativeHash('app secret 1')}';
GRANT ALL PRIVILEGES ON \`alice\\_wp\`.* TO 'alice_app'@'localhost';
GRANT USAGE ON *.* TO 'alice_ro'@'localhost' IDENTIFIED BY PASSWORD '${nativeHash('ro secret 1').replace('*', '-')}';
GRANT SELECT, SHOW VIEW ON \`alice\\_wp\`.* TO 'alice_ro'@'localhost';
`,
      'cron/alice': `MAILTO="owner@elsewhere.example"
SHELL="/bin/bash"
*/5 * * * * /usr/local/bin/php -q /home/alice/public_html/wp-cron.php
@daily /usr/local/bin/ea-php82 /home/alice/bin/daily.php --day=\\%d
30 2 * * * cat %one
@reboot /home/alice/bin/start.sh
0 1 * * * /usr/local/cpanel/scripts/something
`,
      proftpdpasswd: `alice:${hash}:1001:1001:alice:/home/alice:/bin/ftpsh
alice_logs:${hash}:1001:1001:alice:/etc/apache2/logs/domlogs/alice:/bin/ftpsh
deploy@alice.example:${crypt('deploy secret 1')}:1001:1001:alice:/home/alice/public_html:/bin/ftpsh
`,
      'logs/alice.example': 'x',
      'mystery/one': 'x',
    }),
    { path: 'homedir', isDirectory: true, mode: 0o711 },
    { path: 'homedir/public_html', isDirectory: true, mode: 0o750 },
    ...filesOf({
      'homedir/public_html/index.php': '<?php echo "alice at ", __DIR__;',
      'homedir/public_html/hard.html': '<p>the same file</p>\n',
      'homedir/public_html/blog/index.html': 'blog\n',
      'homedir/public_html/.htaccess': `# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
# END WordPress
`,
      'homedir/public_html/private/.htaccess':
        'AuthType Basic\nAuthName "x"\nAuthUserFile /home/alice/.htpasswds/private\nRequire valid-user\n',
      'homedir/shop.example/index.html': 'shop\n',
      'homedir/etc/alice.example/passwd': ['info', 'info2', 'locked', 'old', 'empty']
        .map((name) => `${name}:x:1001:1001::/home/alice/mail/alice.example/${name}:/usr/local/cpanel/bin/noshell\n`)
        .join(''),
      'homedir/etc/alice.example/shadow': `info:${crypt('info secret 1')}:20000::::::
info2:${crypt('info2 secret 1')}:20000::::::
locked:*LOCKED*${crypt('locked secret 1')}:20000::::::
old:$1$abcdefgh$irWbblnpmw.5z7wgBnprh0:20000::::::
empty::20000::::::
`,
      'homedir/etc/alice.example/quota': 'info:262144000\ninfo2:0\n',
      'homedir/mail/cur/1700000000.M1P1.old,S=12:2,S': 'Subject: to the default\n\n',
      'homedir/mail/alice.example/info/cur/1700000001.M1P1.old,S=12:2,S': 'Subject: one\n\nbody\n',
      'homedir/mail/alice.example/info/dovecot-uidlist': '3 V1700000000 N2 Gabc\n1 :1700000001.M1P1.old\n',
      'homedir/mail/alice.example/info/dovecot.index': 'x',
      'homedir/.autorespond/sales@alice.example':
        'From: Sales\nSubject: Re: %subject%\nContent-Type: text/plain\n\nAway.\n',
      'homedir/.autorespond/sales@alice.example.json': '{"start":1767225600,"stop":1798761600,"interval":8}',
    }),
    { path: 'homedir/public_html/static.html', hard: 'homedir/public_html/hard.html' },
    { path: Buffer.from('homedir/public_html/caf\xe9.txt', 'latin1'), content: 'latin\n' },
    { path: 'homedir/www', link: 'public_html' },
    { path: 'homedir/access-logs', link: '/etc/apache2/logs/domlogs/alice' },
    { path: 'homedir/secrets', link: '/etc' },
    { path: 'homedir/pages', link: '/home/alice/public_html' },
  ]
}

export const cpmove = (entries: readonly Entry[] = wordpress(), top = 'cpmove-alice'): Buffer =>
  gzipped(below(top, entries))

export async function* inChunks(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
