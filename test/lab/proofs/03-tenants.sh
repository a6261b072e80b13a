# Of two tenants neither reads the other's files, scripts, processes, sockets, databases, mail or temporary files.
. "$(dirname "$0")/../lib.sh"
export MYSQL_PWD=canary-Sandpiper-6631
secret=canary-Kingfisher-5521

account red --shell /bin/bash
account blue
uid=$(id -u red)
quietly bash -c "printf %s '$MYSQL_PWD' | panel email create info@blue.example --password-stdin"
printf 'From: me@out.example\r\nTo: info@blue.example\r\nSubject: %s\r\n\r\n%s\r\n' $secret $secret > $mail
quietly curl -s smtp://127.0.0.1:25/out.example --mail-from me@out.example --mail-rcpt info@blue.example -T $mail
for one in red blue; do
  quietly panel mysql databases create shop -a $one
  quietly bash -c "printf %s '$MYSQL_PWD' | panel mysql users create app -a $one --password-stdin"
  quietly panel mysql grant ${one}_shop ${one}_app
done
quietly mariadb --no-defaults -u blue_app blue_shop -e "CREATE TABLE t (a text); INSERT INTO t VALUES ('$secret')"
# What blue has: a script that is cached, and files where everybody may write.
put blue wp-config.php <<< "<?php define('SECRET', '$secret');"
put blue cached.php <<'PHP'
<?php include 'wp-config.php'; echo opcache_get_status() ? 'cached' : 'plain';
PHP
install -o blue -g blue -m 0644 /dev/null /dev/mqueue/blue.txt
for folder in /tmp /var/tmp /dev/shm /run/lock /var/lib/php/sessions; do install -o blue -g blue -m 0644 /dev/stdin $folder/blue.txt <<< $secret; done
is "a script of blue's is cached" cached "$(page blue.example cached.php)"
is 'mail for blue has come' 1 "$(eventually bash -c "find /home/blue/mail -type f -path '*/new/*' | grep -q ." && echo 1)"

# What red may look at, by the paths that there are on this machine.
sockets=$({ ss -xlH | awk '{print $5}' | grep '^/'; find /run /var/spool/postfix /home /tmp -type s; } 2> /dev/null | sort -u)
# What is its own comes first: that it is read shows that red has looked.
own=/home/red/sites/red.example/public/list.txt
files="$own /home/blue/sites/blue.example/public/wp-config.php $(find /home/blue/mail -type f | head -1) /etc/panel/db.d/blue.sql /etc/panel/mail/passwd.d/blue.example /etc/panel/php/$(php_master blue | sed 's/^panel-php-//; s/service$/conf/') /etc/panel/nginx/sites/blue.example.conf /etc/panel/ftp/passwd /var/log/panel/blue/blue.example.access.log /var/log/panel/bandwidth.log /var/log/mail.log /var/lib/mysql/blue_shop/t.ibd /var/lib/panel /var/lib/panel-host/backups /var/lib/panel-host/manifest /tmp/blue.txt /var/tmp/blue.txt /dev/shm/blue.txt /run/lock/blue.txt"
put red list.txt <<< "$files"
put red sockets.txt <<< "$sockets"
chmod 644 /home/red/sites/red.example/public/*.txt
put red read.php <<'PHP'
<?php ini_set('display_errors', '0');
foreach (preg_split('/\s+/', trim(file_get_contents('list.txt'))) as $path)
  if ((is_file($path) && @file_get_contents($path) !== false) || array_diff(@scandir($path) ?: [], ['.', '..'])) echo "$path\n";
PHP
is 'PHP reads nothing of blue' $own "$(page red.example read.php)"
put red include.php <<'PHP'
<?php @include '/home/blue/sites/blue.example/public/wp-config.php';
$cached = opcache_get_status()['scripts'] ?? [];
echo defined('SECRET') ? 'included' : 'no', ' ', count(preg_grep('#/home/blue#', array_keys($cached)));
PHP
is "PHP includes no script that is cached for blue, and lists none" 'no 0' "$(page red.example include.php)"
put red processes.php <<'PHP'
<?php // A process that has ended since has no owner.
foreach (glob('/proc/[0-9]*') as $one) if (($owner = @fileowner($one)) !== false && $owner !== posix_getuid()) echo "$one\n";
echo 'looked';
PHP
is "PHP sees no process of another" looked "$(page red.example processes.php)"
put red sockets.php <<'PHP'
<?php ini_set('display_errors', '0');
foreach (preg_split('/\s+/', trim(file_get_contents('sockets.txt'))) as $path)
  foreach (['unix', 'udg'] as $kind) if ($open = @stream_socket_client("$kind://$path", $no, $why, 1)) { echo "$path\n"; fclose($open); }
PHP
# What a tenant may reach: databases, and what systemd gives to every user. The system bus hears no tenant, see below.
may='^/run/\(mysqld/mysqld.sock\|systemd/.*\|user/.*\|uuidd/request\|panel-php/red/[^ ]*\.sock\)$'
is "PHP reaches no socket but the database server's" '' "$(page red.example sockets.php | grep -v "$may")"
is "though it reaches that" 1 "$(page red.example sockets.php | grep -c mysqld.sock)"
lists='/etc/panel/tls /etc/panel/limits.d /etc/panel/users.d /etc/panel/mail/sieve.d /etc/panel/ssh/keys /etc/panel/nginx/sites /var/log/panel /var/lib/mysql /run/panel-php /run/panel-apps /home'
put red lists.txt <<< "$lists"
chmod 644 /home/red/sites/red.example/public/lists.txt
put red lists.php <<'PHP'
<?php ini_set('display_errors', '0');
foreach (preg_split('/\s+/', trim(file_get_contents('lists.txt'))) as $folder)
  if (preg_grep('/blue/', @scandir($folder) ?: []) || shell_exec('ls -A ' . escapeshellarg($folder) . ' 2> /dev/null | grep blue')) echo "$folder\n";
echo 'looked';
PHP
is "PHP is shown no list that names another's domains or databases" looked "$(page red.example lists.php)"
put red shared.php <<'PHP'
<?php foreach (['/tmp', '/var/tmp', '/dev/shm', '/run/lock', '/dev/mqueue'] as $folder) foreach (array_diff(@scandir($folder) ?: [], ['.', '..']) as $name)
  if (@fileowner("$folder/$name") !== posix_getuid()) echo "$folder/$name\n";
echo 'looked';
PHP
is 'PHP sees no temporary file of another' looked "$(page red.example shared.php)"
put blue index.html <<< 'blue'
ln -s /home/blue/sites/blue.example/public/index.html /home/red/sites/red.example/public/link.html
chown -h red:red /home/red/sites/red.example/public/link.html
is "a link to another's file is not served" 404 "$(code red.example link.html)"

sql() { mariadb --no-defaults --batch --skip-column-names -u red_app -e "$1" 2>&1; }
is 'SQL shows its own database alone' 'information_schema red_shop' "$(sql 'SHOW DATABASES' | sort | xargs)"
is 'and reads no other' 1 "$(sql 'SELECT * FROM blue_shop.t' | grep -c 'denied')"
is 'nor a file of the server' 0 "$(sql "SELECT LOAD_FILE('/etc/passwd')" | grep -c root)"
is "nor another's session" 0 "$(sql 'SHOW PROCESSLIST' | grep -vc red_app)"
is 'nor a view of it by another definer' 1 "$(sql 'CREATE DEFINER=blue_app@localhost VIEW red_shop.v AS SELECT * FROM blue_shop.t' | grep -c 'denied')"

# The same by a shell, by cron, and by what PHP starts.
[ -f /root/red.key ] || ssh-keygen -q -t ed25519 -N '' -f /root/red.key
quietly panel ssh add-key laptop --account red --public-key "$(cat /root/red.key.pub)"
quietly panel ssh update --account red --enabled
cat > /home/red/look.sh <<'SH'
cd ~/sites/red.example/public
for path in $(cat list.txt); do { cat "$path" || { [ -d "$path" ] && ls -A "$path" | grep .; }; } > /dev/null 2>&1 && echo "$path"; done
ls -d /proc/[0-9]* 2> /dev/null | while read -r one; do [ ! -e "$one" ] || [ -O "$one" ] || echo "$one"; done
php -d display_errors=0 sockets.php | grep -v "$1" | grep -vx /run/dbus/system_bus_socket
for folder in /tmp /var/tmp /dev/shm /run/lock; do find $folder -mindepth 1 -not -user red 2> /dev/null; done
for folder in $(cat lists.txt); do ls -A "$folder" 2> /dev/null | grep -q blue && echo "$folder"; done
cat /var/lib/php/sessions/blue.txt 2> /dev/null
bash -c 'exec 3<>/dev/tcp/127.0.0.1/25' 2> /dev/null && echo 'port 25'
(doveadm user '*'; true) 2> /dev/null; mailq 2> /dev/null | grep blue; crontab -l > /dev/null 2>&1 && echo crontab; id -u
SH
chown red:red /home/red/look.sh
login() { ssh -q -i /root/red.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes red@127.0.0.1 "$@"; }
bus='call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager'
is 'root asks PID 1 for the processes of blue' 1 "$(busctl $bus GetUnitProcesses s panel-blue.slice | grep -c php-fpm)"
cat > /home/red/ask.sh <<SH
for one in 'systemctl status panel-blue.slice' 'systemctl show $(php_master blue)' 'loginctl list-sessions' 'busctl $bus GetUnitProcesses s panel-blue.slice' \
  'busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1/unit/panel_2dblue_2eslice org.freedesktop.systemd1.Slice GetProcesses' \
  'busctl list' 'systemd-run --user true' 'systemctl --user list-units'
do \$one > /dev/null 2>&1 && echo "\$one"; done; id -u
SH
chown red:red /home/red/ask.sh
is 'a shell asks PID 1 and logind for nothing, and has no service manager' "$uid" "$(login bash ask.sh)"
is 'nor who else is logged in, from where' "$uid" "$(login 'cat /run/systemd/sessions/* /run/systemd/users/* /run/utmp /var/log/wtmp /var/log/lastlog 2> /dev/null; id -u' | tr -d '\0')"
refused 'a shell makes no queue, which all sessions would see' login touch /dev/mqueue/red
is 'a shell reads, sees and reaches nothing of blue' "$own $uid" "$(login bash look.sh "'$may'" 2>&1 | xargs)"
put red look.php <<< "<?php echo shell_exec('bash /home/red/look.sh \'$may\' 2>&1');"
is 'nor does a program that PHP starts' "$own $uid" "$(page red.example look.php | xargs)"
look=$(panel cron create --account red -q --schedule '0 4 1 1 *' --command "bash look.sh '$may'")
quietly panel cron run "$look" --account red
run=$(panel cron runs "$look" --account red -o json | grep -o '"id": *"[^"]*"' | head -1 | cut -d'"' -f4)
is 'nor does a command of cron' "\"$own\\n$uid\\n\"" "$(panel cron output "$look" "$run" --account red -o json | grep -o '"output": *"[^"]*"' | sed 's/^[^:]*: *//')"
rm /tmp/blue.txt /var/tmp/blue.txt /dev/shm/blue.txt /run/lock/blue.txt /dev/mqueue/blue.txt /var/lib/php/sessions/blue.txt
