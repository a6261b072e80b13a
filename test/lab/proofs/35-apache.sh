# Sites whose .htaccess files an Apache of their own account reads, asleep until asked for.
. "$(dirname "$0")/../lib.sh"

account htac
account htbc
root=/home/htac/sites/htac.example/public
site=htac.example
active() { systemctl list-units --plain --no-legend --state=active "panel-apache-$1.service" "panel-site-*-$1.service" | wc -l; }
tls() { curl -sk --resolve "$site:443:127.0.0.1" "https://$site/$1" "${@:2}"; }
htaccess() { mkdir -p "$root/$1" && install -o htac -g htac -m 0644 /dev/stdin "$root/$1/.htaccess" && chown htac:htac "$root/$1"; }
file() { mkdir -p "$root/$(dirname "$1")" && install -o htac -g htac -m 0644 /dev/stdin "$root/$1"; }

is 'status lists Apache' 1 "$(panel host status --select 'machine.services[].name' | grep -c '^apache$')"
is 'whose own service is off' disabled "$(systemctl is-enabled apache2.service)"
file index.php <<< '<?php echo $_SERVER["REQUEST_URI"], " ", $_SERVER["REMOTE_ADDR"], " ", $_SERVER["HTTPS"] ?? "off";'
file closed/dump.sql <<< secret
htaccess closed <<< 'deny from all'
is 'without Apache access rules do not hold' secret "$(page $site closed/dump.sql)"
is 'which the check says' 1 "$(panel domains check $site -a htac | grep -c 'closed/.htaccess.*access')"
quietly panel domains update $site --handler apache -a htac
is 'nothing runs before the first request' 0 "$(active htac)"
begun=$(date +%s%N)
is 'deny from all holds' 403 "$(code $site closed/dump.sql)"
echo "# first request of a sleeping Apache: $(since "$begun")"
begun=$(date +%s%N)
is 'PHP answers with the address of the visitor' '/?a=1 127.0.0.1 off' "$(page $site '?a=1')"
echo "# with PHP, which slept: $(since "$begun")"
is 'an Apache and a proxy run' 2 "$(active htac)"
is 'as their account, in its slice' 'panel-htac.slice htac' "$(systemctl show -P User -P Slice panel-apache-htac.service | xargs)"

cat > /tmp/35.htaccess <<'EOT'
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteCond %{HTTPS} on
RewriteRule ^plain$ http://%{HTTP_HOST}/plain [R=302,L]
RewriteBase /
RewriteRule ^index\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
ErrorDocument 403 "not for you"
Header set X-Proof yes
Options -Indexes
EOT
htaccess . < /tmp/35.htaccess
is 'permalinks' '/hello/world 127.0.0.1 off' "$(page $site hello/world)"
is 'a file of the error' 'not for you' "$(page $site closed/dump.sql)"
is 'headers' 1 "$(curl -sI --resolve $site:80:127.0.0.1 http://$site/ | grep -ci '^X-Proof: yes')"
is 'no listing' 403 "$(mkdir -p $root/empty; code $site empty/)"
is 'https is seen' '/x 127.0.0.1 on' "$(tls x)"
is 'rules that ask for https' "http://$site/plain" "$(tls plain -o /dev/null -w '%{redirect_url}')"
is 'a directory without its slash stays on https' "https://$site/closed/" "$(mkdir -p $root/open; tls open -o /dev/null -w '%{redirect_url}' | sed 's/open/closed/')"

file office/a <<< office
htaccess office <<< 'Require ip 127.0.0.1'
is 'Require ip sees the visitor' office "$(page $site office/a)"
htaccess office <<< 'Require ip 192.0.2.1'
is 'and refuses others' 403 "$(curl -s -o /dev/null -w '%{http_code}' -H 'X-Real-IP: 192.0.2.1' --resolve $site:80:127.0.0.1 http://$site/office/a)"
file private/a <<< private
printf 'ann:%s\n' "$(openssl passwd -apr1 word)" | file private/.htpasswd
htaccess private <<< "AuthType Basic
AuthName x
AuthUserFile $root/private/.htpasswd
Require valid-user"
is 'a password is asked for' 401 "$(code $site private/a)"
is 'and taken' private "$(curl -s -u ann:word --resolve $site:80:127.0.0.1 http://$site/private/a)"
is 'the file of passwords is not served' 403 "$(curl -s -o /dev/null -w '%{http_code}' -u ann:word --resolve $site:80:127.0.0.1 http://$site/private/.htpasswd)"

file wrong/a <<< wrong
htaccess wrong <<< 'RewriteRule x'
is 'a wrong argument is an error' 500 "$(code $site wrong/a)"
is 'of this place alone' '/ 127.0.0.1 off' "$(page $site)"
is 'whose log says file and line' 1 "$(grep -c 'wrong/.htaccess' /var/log/panel/htac/apache.error.log | sed 's/[2-9]/1/')"
htaccess wrong <<< 'Nonsense on'
is 'an unknown directive is passed over' wrong "$(page $site wrong/a)"
file handlers/a.html <<< 'the text'
file handlers/v.php <<< '<?php echo "ran";'
htaccess handlers <<< 'AddHandler application/x-httpd-ea-php74 .php .html
AddHandler cgi-script .cgi'
is 'PHP runs whatever a handler says' ran "$(page $site handlers/v.php)"
is 'what nothing serves is not found' 404 "$(code $site handlers/a.html)"

# Another account's PHP and services are out of reach.
put htbc index.php <<< '<?php echo "of htbc";'
page htbc.example > /dev/null
other=$(ls /run/panel-php/htbc/*/shared.sock | head -1)
file theft/a.txt <<< none
for to in "proxy:unix:$other|fcgi://localhost" 'proxy:unix:/run/panel/host.sock|http://localhost' 'proxy:http://127.0.0.1:7711'; do
  htaccess theft <<< "SetHandler \"$to\""
  is "$to is out of reach" 5 "$(code $site theft/a.txt | cut -c1)"
done
htaccess theft <<< 'RewriteEngine on
RewriteRule . http://127.0.0.1:7711/ [P]'
is 'so is the machine' 5 "$(code $site theft/a.txt | cut -c1)"
ln -sfn /home/htbc/sites/htbc.example/public/index.php "$root/linked.txt"
htaccess theft <<< 'Options +FollowSymLinks'
is 'links into another home are refused' 403 "$(code $site linked.txt)"
is 'others cannot connect' 1 "$(runuser -u htbc -- curl -s --max-time 3 --unix-socket /run/panel-apache/htac.http.sock http://$site/ > /dev/null 2>&1 && echo 0 || echo 1)"

file set/v.php <<< '<?php echo ini_get("upload_max_filesize");'
htaccess set <<< 'php_value upload_max_filesize 48M'
begun=$(date +%s)
is 'php_value takes effect within two minutes' 0 "$(becomes 120 48M page $site set/v.php; echo $?)"
echo "# after $(($(date +%s) - begun)) s"
is 'in a file of the account' htac "$(stat -c %U "$root/set/.user.ini")"

pss() { cat /sys/fs/cgroup/*/panel.slice/panel-htac.slice/panel-apache-htac.service/cgroup.procs /sys/fs/cgroup/panel.slice/panel-htac.slice/panel-apache-htac.service/cgroup.procs 2> /dev/null | sort -u | while read -r pid; do sed -n 's/^Pss: *\([0-9]*\).*/\1/p' "/proc/$pid/smaps_rollup" 2> /dev/null; done | awk '{ s += $1 } END { print s " kB" }'; }
echo "# memory of Apache: $(pss)"
kill -9 "$(systemctl show -P MainPID panel-apache-htac.service)"
eventually test "$(code $site closed/dump.sql)" = 403
is 'a killed Apache starts again' '/ 127.0.0.1 off' "$(page $site)"
begun=$(date +%s%N)
seq 200 | xargs -P 8 -I{} curl -s -o /dev/null -w '%{http_code}\n' --resolve $site:80:127.0.0.1 http://$site/office/../handlers/v.php > /tmp/35.codes
is 'requests at once' '200 200' "$(sort /tmp/35.codes | uniq -c | xargs)"
echo "# 200 requests: $(since "$begun")"

quietly panel settings update --site-idle-minutes 1
job account.apply
quietly panel host apply -a htac
job host.apply
systemctl stop 'panel-site-*-htac.service'
eventually test "$(active htac)" = 0
is 'stopped, nothing of it runs' 0 "$(active htac)"
page $site > /dev/null
sleep 95
is 'it ends when it is idle' 0 "$(active htac)"
is 'and the next request starts it' '/ 127.0.0.1 off' "$(page $site)"
quietly panel settings update --site-idle-minutes 10

quietly panel accounts suspend htac
is 'suspended, nothing runs or listens' 0 "$(systemctl list-units --plain --no-legend --state=active 'panel-*-htac.service' 'panel-site-*-htac.socket' | wc -l)"
is 'and the site is closed' 503 "$(code $site)"
quietly panel accounts unsuspend htac
is 'unsuspended, it answers' '/ 127.0.0.1 off' "$(page $site)"
quietly panel domains update $site --handler php -a htac
is 'with PHP, settings of Apache are gone' 0 "$(ls "$root/set/.user.ini" 2> /dev/null | wc -l)"
quietly panel domains update $site --handler apache -a htac
quietly panel accounts terminate htac --yes
is 'terminated, nothing is left' '' "$(ls /etc/panel/apache | grep htac; ls /etc/systemd/system | grep -- '-htac\.'; systemctl list-units --plain --no-legend --state=active '*-htac.*')"
