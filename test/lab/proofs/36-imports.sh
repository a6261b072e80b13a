# A whole account of another server: its archive is made here, imported, held back, activated and removed.
. "$(dirname "$0")/../lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work" "$said" "$mail"; exit $failed' EXIT
one=$work/cpmove-moe
export MYSQL_PWD=canary-Heron-2207
password=canary-Plover-8842
hash() { openssl passwd -6 "$1"; }
native() { mariadb --no-defaults -N -u root -e "SELECT PASSWORD('$1')"; }
into() { mkdir -p "$(dirname "$one/$1")" && cat > "$one/$1"; }

# A site with a database, whose .htaccess files protect, redirect and set PHP.
into homedir/public_html/index.php <<EOT
<?php \$db = new PDO('mysql:unix_socket=/run/mysqld/mysqld.sock;dbname=moe_wp', 'moe_app', '$MYSQL_PWD');
echo __DIR__, ' ', \$db->query('SELECT COUNT(*) FROM posts')->fetchColumn(), ' ', ini_get('upload_max_filesize');
EOT
into homedir/public_html/.htaccess <<'EOT'
RedirectMatch 302 ^/old/(.*)$ /new/$1
RewriteEngine On
RewriteCond %{HTTP_USER_AGENT} EvilBot
RewriteRule ^ - [F]
php_value upload_max_filesize 64M
EOT
into homedir/public_html/private/.htaccess <<'EOT'
AuthType Basic
AuthName "members"
AuthUserFile /home/moe/.htpasswds/private
Require valid-user
EOT
into homedir/public_html/private/a.txt <<< members
into homedir/.htpasswds/private <<< "ann:$(openssl passwd -apr1 "$password")"
into homedir/public_html/hard.html <<< same
ln "$one/homedir/public_html/hard.html" "$one/homedir/public_html/static.html"
into homedir/shop.example/index.html <<< shop
into homedir/public_html/blog/index.html <<< blog
ln -s /etc "$one/homedir/secrets"
ln -s public_html "$one/homedir/www"
mkfifo "$one/homedir/public_html/fifo"
install -m 4755 /dev/null "$one/homedir/public_html/setuid"
: > "$one/homedir/public_html/$(printf 'caf\351.txt')"

into cp/moe <<'EOT'
DNS=moe.example
DISK_BLOCK_LIMIT=1048576
IP=192.0.2.10
MXCHECK-moe.example=local
CONTACTEMAIL=owner@world.test
PLAN=gold
USER=moe
EOT
into version <<< 'archive version: 4'
into shadow <<< "$(hash "$password")"
into userdata/main <<'EOT'
---
addon_domains:
  moeshop.example: moeshop.moe.example
main_domain: moe.example
parked_domains: []
sub_domains:
  - blog.moe.example
  - moeshop.moe.example
EOT
into userdata/moe.example <<< $'documentroot: /home/moe/public_html\nhomedir: /home/moe\nip: 192.0.2.10'
into userdata/blog.moe.example <<< 'documentroot: /home/moe/public_html/blog'
into userdata/moeshop.moe.example <<< 'documentroot: /home/moe/shop.example'

# Mailboxes with messages; one is compressed, one folder has a name beyond ASCII.
box() { echo "$1:x:1001:1001::/home/moe/mail/moe.example/$1:/bin/false" >> "$one/homedir/etc/moe.example/passwd"; echo "$1:$2:20000::::::" >> "$one/homedir/etc/moe.example/shadow"; }
mkdir -p "$one/homedir/etc/moe.example"
box info "$(hash "$password")"
box older "$(openssl passwd -1 "$password")"
box bcrypt "\$2y\$05\$$(printf 'abcdefghijklmnopqrstuu')$(printf '5%.0s' {1..31})"
box locked "*LOCKED*$(hash "$password")"
box empty ''
into homedir/etc/moe.example/quota <<< 'info:262144000'
mails=homedir/mail/moe.example/info
into "$mails/cur/1700000001.M1P1.old,S=25:2,S" <<< $'Subject: one\n\nmarker-one'
printf 'Subject: two\n\nmarker-two\n' | gzip | into "$mails/cur/1700000002.M1P1.old,S=25:2,S"
into "$mails/.Entwürfe/cur/1700000003.M1P1.old:2,S" <<< $'Subject: three\n\nmarker-three'
into "$mails/dovecot-uidlist" <<< $'3 V1700000000 N43 G0123456789abcdef0123456789abcdef\n41 :1700000001.M1P1.old,S=25\n42 :1700000002.M1P1.old,S=25'
into "$mails/subscriptions" <<< 'Entwürfe'
into "$mails/dovecot.index" <<< damaged
into homedir/mail/new/1700000004.M1P1.old <<< $'Subject: four\n\nmarker-default'
into va/moe.example <<'EOT'
team@moe.example: info@moe.example, older@moe.example
script@moe.example: "|/home/moe/bin/handle.php"
*: :fail: No such person here
EOT

into mysql/moe_wp.create <<< 'CREATE DATABASE `moe_wp` DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;'
{
  echo 'CREATE TABLE `posts` (`id` int NOT NULL, `title` varchar(99), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;'
  for n in $(seq 500); do echo "INSERT INTO \`posts\` VALUES ($n,'it''s; no $n');"; done
  echo '/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */;'
} | sed '/^\/\*!50013/d' | into mysql/moe_wp.sql
cat >> "$one/mysql/moe_wp.sql" <<'EOT'
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `posts_bi` BEFORE INSERT ON `posts` FOR EACH ROW SET NEW.title = TRIM(NEW.title) */;;
DELIMITER ;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `titles` AS select `posts`.`title` AS `title` from `posts` */;
EOT
into mysql.sql <<EOT
GRANT USAGE ON *.* TO 'moe'@'localhost' IDENTIFIED BY PASSWORD '$(native "$password")';
GRANT ALL PRIVILEGES ON \`moe\\_%\`.* TO 'moe'@'localhost';
GRANT USAGE ON *.* TO 'moe_app'@'localhost' IDENTIFIED BY PASSWORD '$(native "$MYSQL_PWD")';
GRANT ALL PRIVILEGES ON \`moe\\_wp\`.* TO 'moe_app'@'localhost';
GRANT USAGE ON *.* TO 'moe_ro'@'localhost' IDENTIFIED BY PASSWORD '$(native "$MYSQL_PWD")';
GRANT SELECT ON \`moe\\_wp\`.* TO 'moe_ro'@'localhost';
EOT
into cron/moe <<< $'MAILTO=""\n* * * * * /usr/bin/php -r "touch(\'/home/moe/cron-ran\');"\n@reboot /home/moe/start'
into proftpdpasswd <<< "deploy@moe.example:$(hash "$password"):1001:1001:moe:/home/moe/public_html:/bin/ftpsh"
into dnszones/moe.example.db <<'EOT'
$TTL 14400
@ 86400 IN SOA ns1.old.example. root.old.example. ( 2026030100 3600 1800 1209600 86400 )
@ IN NS ns1.old.example.
moe.example. IN A 192.0.2.10
cpanel IN A 192.0.2.10
crm IN A 203.0.113.50
@ IN TXT "v=spf1 ip4:192.0.2.10 include:spf.world.test ~all"
@ IN CAA 0 issue "letsencrypt.org"
EOT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 60 -subj /CN=moe.example -addext subjectAltName=DNS:moe.example,DNS:www.moe.example \
  -keyout "$work/key" -out "$work/crt" 2> /dev/null
cat "$work/key" "$work/crt" | into apache_tls/moe.example
tar -C "$work" -czf /root/cpmove-moe.tar.gz cpmove-moe

sql() { mariadb --no-defaults --batch --skip-column-names -u "$1" -e "$2" 2>&1; }
may() { sql "$@" > /dev/null 2>&1 && echo yes || echo no; }
imap() { curl -s --insecure --max-time 20 "imaps://127.0.0.1/$2" -u "$1:${3:-$password}"; }
opens() { imap "$1" '' "${2:-$password}" > /dev/null && echo yes || echo no; }
ftp() { curl -s --max-time 20 -u "deploy@moe.example:$password" 'ftp://127.0.0.1/' --list-only > "$work/ftp" 2>&1 && echo yes || echo no; }
rcpt() { printf 'Subject: late\r\n\r\nlate\r\n' > "$mail"; curl -s -o /dev/null -w '%{response_code}' --max-time 60 smtp://127.0.0.1:25/out.example --mail-from someone@out.example --mail-rcpt "$1" -T "$mail"; }
submit() { printf 'From: info@moe.example\r\n\r\nx\r\n' > "$mail"; curl -s -o /dev/null -w '%{response_code}' --insecure --ssl-reqd --max-time 60 smtp://127.0.0.1:587/out.example -u "info@moe.example:$password" --mail-from info@moe.example --mail-rcpt info@moe.example -T "$mail"; }
field() { panel import show moe --select "$1"; }
report() { panel import report moe -o json > "$work/report"; }

quietly panel import run /root/cpmove-moe.tar.gz --dry-run
is 'a dry run makes nothing' 'ready ' "$(field status) $(getent passwd moe)"
report
is 'its report holds no hash' 0 "$(grep -c '\$[1256y]*\$[a-zA-Z./0-9]\{8\}\|\*[0-9A-F]\{40\}' "$work/report")"
is 'nor a conflict' '' "$(panel import report moe --outcome conflict -o name)"
begun=$(date +%s)
quietly panel import run moe
is 'it is imported, and held back' 'imported importing' "$(field status) $(panel accounts show moe --select status)"
for step in unpack account mysql mail settle check; do
  is "step $step" succeeded "$(panel import show moe -o json | tr -d ' \n' | grep -o "\"step\":\"$step\",\"status\":\"[a-z]*" | sed 's/.*"//')"
done
is 'nothing differs' '' "$(panel host diff --account moe)"
uid=$(id -u moe)
is 'nothing lies aside' '' "$(ls -A /home | grep '^\.import')$(ls -A /home/moe | grep '^\.panel-import')"

is 'the page reads its database, where it was' '/home/moe/public_html 500 64M' "$(page moe.example)"
is 'the subdomain' blog "$(page blog.moe.example)"
is 'the addon domain' shop "$(page moeshop.example)"
is 'a redirect' 'http://moe.example/new/x' "$(curl -s -o /dev/null -w '%{redirect_url}' --resolve moe.example:80:127.0.0.1 http://moe.example/old/x)"
is 'a rewriting condition' 403 "$(curl -s -o /dev/null -w '%{http_code}' -A EvilBot --resolve moe.example:80:127.0.0.1 http://moe.example/)"
is 'a protected directory, with its old password' '401 200' "$(code moe.example private/a.txt) $(curl -s -o /dev/null -w '%{http_code}' -u "ann:$password" --resolve moe.example:80:127.0.0.1 http://moe.example/private/a.txt)"
is 'its certificate' "$(openssl x509 -in "$work/crt" -noout -serial)" "$(openssl s_client -connect 127.0.0.1:443 -servername moe.example < /dev/null 2> /dev/null | openssl x509 -noout -serial)"
is 'hard links stay' 1 "$(stat -c %i /home/moe/public_html/hard.html /home/moe/public_html/static.html | sort -u | wc -l)"
is 'names stay as bytes' 1 "$(ls /home/moe/public_html | grep -c '^caf')"
is 'no pipe, no link out, no setuid' '0 0 0' "$(find /home/moe -type p | wc -l) $(find /home/moe -name secrets | wc -l) $(find /home/moe -perm /7000 | wc -l)"
is 'all belongs to the account' '' "$(find /home/moe ! -user moe -print -o ! -group moe -print | grep -v '^/home/moe$' | head -3)"

is 'the old passwords open mailboxes' 'yes yes' "$(opens info@moe.example) $(opens older@moe.example)"
is 'others do not' 'no no no' "$(opens info@moe.example wrong-1) $(opens locked@moe.example) $(opens empty@moe.example x)"
is 'messages have the numbers they had' 1 "$(imap info@moe.example 'INBOX;UID=41' | grep -c marker-one)"
is 'a compressed message is read' 1 "$(imap info@moe.example 'INBOX;UID=42' | grep -c marker-two)"
is 'a folder beyond ASCII' 1 "$(imap info@moe.example '' | grep -c 'Entw&APw-rfe')"
is 'the default address' 1 "$(imap moe@moe.example 'INBOX;MAILINDEX=1' | grep -c marker-default)"
is 'the quota' 250 "$(panel email show info@moe.example --select quota_mb)"

is 'the user reads and writes with its old password' '500 yes' "$(sql moe_app 'SELECT COUNT(*) FROM moe_wp.posts') $(may moe_app "INSERT INTO moe_wp.posts VALUES (501, ' x ')")"
is 'the trigger and the view are there' x "$(sql moe_app 'SELECT title FROM moe_wp.titles' | tail -1)"
is 'who read alone still does' 'yes no' "$(may moe_ro 'SELECT * FROM moe_wp.posts') $(may moe_ro 'DELETE FROM moe_wp.posts')"
is 'the user named like the account is moe_main' 'no yes' "$(MYSQL_PWD=$password may moe 'SELECT 1') $(MYSQL_PWD=$password may moe_main 'SELECT * FROM moe_wp.posts')"
is 'no definer is root' '' "$(mariadb -N -e "SELECT definer FROM information_schema.triggers WHERE trigger_schema = 'moe_wp' AND definer LIKE 'root%'")"

is 'the zone' "203.0.113.50 0 $(hostname -I | cut -d' ' -f1)" "$(dig +short @127.0.0.1 crm.moe.example) $(dig +short @127.0.0.1 cpanel.moe.example | wc -l) $(dig +short @127.0.0.1 moe.example)"
is 'the policy has the new address and the old names' 1 "$(dig +short @127.0.0.1 moe.example TXT | grep spf1 | grep -v 192.0.2.10 | grep -c 'include:spf.world.test')"
is 'who may issue' 1 "$(dig +short @127.0.0.1 moe.example CAA | grep -c letsencrypt)"

sign_in() { curl -sk -o /dev/null -w '%{http_code}' -H 'content-type: application/json' -d "{\"username\":\"moe\",\"password\":\"$1\"}" https://127.0.0.1:7711/api/v1/user/auth/login; }
is 'the panel opens with the old password, twice' '401 200 200' "$(sign_in wrong-Heron-1) $(sign_in "$password") $(sign_in "$password")"

is 'FTP is closed' no "$(ftp)"
is 'mail is not received' 554 "$(rcpt info@moe.example)"
is 'mail is not sent' 450 "$(submit)"
is 'nor by programs' 1 "$(echo x | runuser -u moe -- timeout 20 /usr/sbin/sendmail someone@world.test > "$work/sent" 2>&1; [ $? != 0 ] && echo 1)"
sleep $((begun + 75 > $(date +%s) ? begun + 75 - $(date +%s) : 0))
is 'no cron job has run' no "$([ -e /home/moe/cron-ran ] && echo yes || echo no)"

quietly panel import activate moe --yes
is 'it is active' 'active active' "$(field status) $(panel accounts show moe --select status)"
is 'FTP opens in its directory' 'yes 1' "$(ftp) $(grep -c '^index.php' "$work/ftp")"
is 'mail is received' 250 "$(rcpt info@moe.example)"
is 'an unknown address is refused' 550 "$(rcpt none@moe.example)"
is 'a forwarder' 250 "$(rcpt team@moe.example)"
is 'mail is sent' 250 "$(submit)"
for _ in $(seq 260); do [ -e /home/moe/cron-ran ] && break; sleep 0.5; done
is 'cron jobs run' yes "$([ -e /home/moe/cron-ran ] && echo yes || echo no)"
is 'an imported name is a conflict, by its exit code' 5 "$(panel import run /root/cpmove-moe.tar.gz > /dev/null 2>&1; echo $?)"
refused 'an active account is not removed by its import' panel import remove moe --yes

# Under another name, and removed while it is held back.
quietly panel import run /root/cpmove-moe.tar.gz --as mona --domain mona.example --map domains:moeshop.example=null,domains:blog.moe.example=blog.mona.example
is 'under another name' 'imported mona_wp' "$(panel import show mona --select status) $(panel mysql databases list -a mona -o name | head -1)"
second=$(id -u mona)
quietly panel import remove mona --yes --confirm mona
is 'removed, nothing is left' ' 0 0' "$(getent passwd mona)$(find /home /var/lib/panel-host /etc/panel -uid "$second" 2> /dev/null | head -3) $(grep -rl mona.example /etc/panel /etc/bind 2> /dev/null | wc -l) $(mariadb -N -e "SHOW DATABASES LIKE 'mona%'" | wc -l)"

# An archive that ends too early leaves nothing.
head -c $(($(stat -c %s /root/cpmove-moe.tar.gz) / 2)) /root/cpmove-moe.tar.gz > /root/cut.tar.gz
is 'a cut archive fails with the byte' '9 1' "$(panel import run /root/cut.tar.gz --as cutter --domain cutter.example > "$work/cut" 2>&1; echo $?) $(grep -c 'at byte' "$work/cut")"
is 'and leaves nothing' '' "$(ls -A /home | grep '^\.import')$(getent passwd cutter)"
quietly panel accounts terminate moe --yes --confirm moe
