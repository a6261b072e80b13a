# Debian's WordPress behind the account's Apache: what its .htaccess files do, and what hostile ones cannot do.
. "$(dirname "$0")/../lib.sh"

account press
account spy
site=press.example root=/home/press/sites/press.example/public password=Sandpiper-canary-37
# The package's own Apache and PHP stay as they are: it is only a source of files.
online() { unshare -m sh -c 'mount --bind /root/online-resolver /etc/resolv.conf && exec "$@"' sh "$@"; }
theme=$(apt-cache show wordpress | grep -o 'wordpress-theme-[a-z]*' | head -1)
online apt-get install -y -q --no-install-recommends wordpress "$theme" > $said 2>&1 || { echo "FAILED to install WordPress: $(tail -2 $said)"; exit 1; }
cp -rL /usr/share/wordpress/. "$root/" 2> /dev/null
rm -f "$root/wp-config.php"
quietly panel mysql databases create blog -a press
quietly bash -c "printf %s $password | panel mysql users create blog -a press --password-stdin"
quietly panel mysql grant press_blog press_blog
cat > "$root/wp-config.php" <<PHP
<?php
define('DB_NAME', 'press_blog'); define('DB_USER', 'press_blog'); define('DB_PASSWORD', '$password'); define('DB_HOST', 'localhost');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', ''); define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true);
\$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
PHP
chown -R press:press "$root"
quietly panel domains update $site --handler apache -a press

jar=/tmp/37.jar; rm -f $jar
ask() { curl -sk -b $jar -c $jar --resolve '*:443:127.0.0.1' --resolve '*:80:127.0.0.1' "http://$site/$1" "${@:2}"; }
status() { ask "$1" -o /dev/null -w '%{http_code}' "${@:2}"; }
file() { mkdir -p "$root/$(dirname "$1")" && install -o press -g press -m 0644 /dev/stdin "$root/$1" && chown press:press "$root/$(dirname "$1")"; }

ask 'wp-admin/install.php?step=2' -d "weblog_title=Proof&user_name=ed&admin_password=$password&admin_password2=$password&pw_weak=1&admin_email=ed@press.example&blog_public=0" > /tmp/37.installed
is 'WordPress installs itself' 1 "$(grep -c 'Success!' /tmp/37.installed)"
is 'and signs in' 302 "$(status wp-login.php -b wordpress_test_cookie=WP%20Cookie%20check -d "log=ed&pwd=$password&testcookie=1")"
nonce() { ask "$1" | sed -n "s/.*name=\"_wpnonce\" value=\"\([0-9a-f]*\)\".*/\1/p" | head -1; }
quietly ask wp-admin/options-permalink.php -d "_wpnonce=$(nonce wp-admin/options-permalink.php)&selection=/%25postname%25/&permalink_structure=/%25postname%25/&submit=Save"
# It writes them with the page that follows.
quietly ask 'wp-admin/options-permalink.php?settings-updated=true'
is 'it writes its own .htaccess' "press 1" "$(stat -c %U "$root/.htaccess") $(grep -c '^# BEGIN WordPress' "$root/.htaccess")"
is 'the first page and permalinks' '200 200 1' "$(status '') $(status hello-world/) $(ask hello-world/ | grep -c '<title>Hello world!')"
is 'WordPress answers for a missing page' '404 1' "$(status none/) $(ask none/ | grep -c '<title>Page not found')"
is 'wp-json' '200 Proof' "$(status wp-json/) $(ask wp-json/ | grep -o '"name":"[^"]*"' | head -1 | cut -d'"' -f4)"
is 'index.php?rest_route, too' 200 "$(status 'index.php?rest_route=/wp/v2/posts')"
base64 -d > /tmp/37.png <<< 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
upload=$(ask wp-admin/media-new.php | grep -o '"_wpnonce":"[0-9a-f]*"' | head -1 | cut -d'"' -f4)
ask wp-admin/async-upload.php -F "name=dot.png" -F action=upload-attachment -F "_wpnonce=$upload" -F 'async-upload=@/tmp/37.png;type=image/png;filename=dot.png' > /tmp/37.uploaded
uploaded=$(grep -o '"url":"[^"]*dot[^"]*"' /tmp/37.uploaded | head -1 | cut -d'"' -f4 | sed 's/\\//g')
is 'an upload is served' 200 "$(status "${uploaded#http://"$site"/}")"

# What plugins and their users write.
file wp-content/uploads/backup/dump.sql <<< secret
file wp-content/uploads/backup/.htaccess <<< 'deny from all'
is "a plugin's directory is closed" 403 "$(status wp-content/uploads/backup/dump.sql)"
file wp-content/uploads/.htaccess <<'EOT'
<FilesMatch "\.(php|phtml)$">
Require all denied
</FilesMatch>
Options -Indexes
<IfModule mod_expires.c>
ExpiresActive On
ExpiresByType image/png "access plus 30 days"
</IfModule>
<IfModule mod_headers.c>
Header set X-Plugin cache
</IfModule>
EOT
file wp-content/uploads/shell.php <<< '<?php echo "ran";'
is 'scripts among uploads do not run' 403 "$(status wp-content/uploads/shell.php)"
is 'directories are not listed' 403 "$(status wp-content/uploads/)"
headers=$(ask "${uploaded#http://"$site"/}" -D - -o /dev/null)
is 'Header and Expires' '1 1' "$(grep -ci '^x-plugin: cache' <<< "$headers") $(grep -ci '^cache-control: max-age=2592000' <<< "$headers")"
mkdir -p "$root/staff"; printf 'ann:%s\n' "$(openssl passwd -apr1 word)" | file staff/.htpasswd
file staff/index.php <<< '<?php echo $_SERVER["REMOTE_USER"] ?? $_SERVER["REDIRECT_REMOTE_USER"] ?? "none";'
file staff/.htaccess <<< "AuthType Basic
AuthName staff
AuthUserFile $root/staff/.htpasswd
Require valid-user
ErrorDocument 401 \"sign in\""
is 'basic auth and its ErrorDocument' '401 sign in' "$(status staff/) $(ask staff/)"
is 'with the password, PHP knows the user' '200 ann' "$(status staff/ -u ann:word) $(ask staff/ -u ann:word)"
file old/.htaccess <<< 'RewriteEngine On
RewriteRule ^shop/(.*)$ /hello-world/?from=$1 [R=301,L,QSA]'
is 'R, L and QSA' "301 http://$site/hello-world/?from=bag&page=2" "$(ask 'old/shop/bag?page=2' -o /dev/null -w '%{http_code} %{redirect_url}')"
file sized/v.php <<< '<?php echo ini_get("upload_max_filesize");'
file sized/.htaccess <<< 'php_value upload_max_filesize 48M'
sized=$(date +%s)

# One step to the canonical name from each of the four addresses; redirects come first.
work=$(mktemp -d)
quietly panel domains create hop.example -a press
quietly panel domains set-verified hop.example true -a press
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 60 -subj /CN=hop.example -addext subjectAltName=DNS:hop.example,DNS:www.hop.example -keyout "$work/key" -out "$work/crt" 2> /dev/null
quietly panel ssl install --domain hop.example --certificate "$work/crt" --key "$work/key" -a press
quietly panel domains add-redirect hop.example /old https://new.example/ -a press
steps() { # steps PATH: how many redirects, and where they end, from the four addresses
  for from in http://hop.example http://www.hop.example https://hop.example https://www.hop.example; do
    curl -skL --max-redirs 5 -o /dev/null --resolve '*:443:127.0.0.1' --resolve '*:80:127.0.0.1' -w '%{num_redirects} %{url_effective}\n' "$from$1" 2> /dev/null
  done | sort | uniq -c | xargs
}
for handler in php apache; do
  for to in www name; do
    quietly panel domains update hop.example --handler $handler --canonical $to --https-redirect -a press
    final=https://$([ $to = www ] && echo www.)hop.example
    is "$handler: one step to $to" "1 0 $final/?a=1 3 1 $final/?a=1" "$(steps '/?a=1')"
    is "$handler: one step to a redirect's target" '4 1 https://new.example/' "$(steps /old)"
  done
done

# A hostile .htaccess gains what its account has already, and nothing else.
put spy index.php <<< '<?php echo "of spy";'
page spy.example > /dev/null
theirs=$(ls /run/panel-php/spy/*/shared.sock | head -1)
echo 'the secret of spy' | install -o spy -g spy -m 0600 /dev/stdin /home/spy/secret.txt
file evil/a.txt <<< 'own text'
file evil/index.php <<< '<?php echo "own text";'
# outside WHAT DIRECTIVES [PATH]: refused, an error, or the account's own text.
outside() {
  local got
  file evil/.htaccess <<< "$2"
  got=$(ask "${3:-evil/a.txt}" -o /tmp/37.body -w '%{http_code}' --max-time 70)
  case $got in
    403 | 404 | 5??) is "$1" 0 "$(grep -c 'of spy\|mysql_native\|MariaDB\|"protocol"\|panel_session\|root:' /tmp/37.body)" ;;
    200) is "$1 (200)" 'own text' "$(cat /tmp/37.body)" ;;
    *) is "$1" 'refused' "$got" ;;
  esac
}
for target in "unix:$theirs|fcgi://x" 'unix:/run/panel/host.sock|http://x' 'unix:/run/panel-front/panel.sock|http://x' 'unix:/run/mysqld/mysqld.sock|http://x' 'unix:/run/panel-apache/spy.http.sock|http://spy.example' 'unix:/run/panel-preview/nginx.sock|http://x' 'unix:/run/systemd/private|http://x' 'unix:/run/dbus/system_bus_socket|http://x' http://127.0.0.1:7711 https://127.0.0.1:7711 http://127.0.0.1:3306 'http://[::1]:80' http://169.254.169.254 fcgi://127.0.0.1:9000; do
  outside "SetHandler to $target" "SetHandler \"proxy:$target\""
done
outside 'SetHandler for scripts, too' "<FilesMatch \"\\.php\$\">
SetHandler \"proxy:unix:$theirs|fcgi://x\"
</FilesMatch>" evil/index.php
for target in http://127.0.0.1:7711/ "unix:/run/panel/host.sock|http://x/" "unix:$theirs|fcgi://x/home/spy/sites/spy.example/public/index.php" http://127.0.0.1:3306/ http://spy.example/ ftp://127.0.0.1/ ws://127.0.0.1:7711/ h2c://127.0.0.1/ balancer://x/; do
  outside "[P] to $target" "RewriteEngine On
RewriteRule . $target [P]"
done
outside '[P] to a handler of PHP' 'RewriteEngine On
RewriteRule . - [H=application/x-httpd-php]'
outside 'ProxyPass is not for such files' 'ProxyPass / http://127.0.0.1:7711/'
printf '#!/bin/sh\necho Content-Type: text/plain; echo; id; cat /home/spy/secret.txt\n' | file evil/run.cgi; chmod 755 "$root/evil/run.cgi"
for enabled in 'Options +ExecCGI
AddHandler cgi-script .cgi' 'Options +ExecCGI
SetHandler cgi-script' 'ScriptInterpreterSource Registry-Strict' 'Action x /evil/run.cgi
AddHandler x .cgi'; do
  file evil/.htaccess <<< "$enabled"
  ask evil/run.cgi > /tmp/37.body
  is "$(head -1 <<< "$enabled" | cut -c1-40): no other's rights" '0 0' "$(grep -c 'the secret' /tmp/37.body) $(grep -c '^uid=' /tmp/37.body)"
done
file evil/inc.shtml <<< '<!--#exec cmd="id; cat /home/spy/secret.txt" --><!--#include virtual="/evil/linked" -->'
file evil/.htaccess <<< 'Options +Includes +ExecCGI
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml'
ask evil/inc.shtml > /tmp/37.body
is "includes run with the account's own rights" 0 "$(grep -c 'the secret\|uid=0' /tmp/37.body)"
# Links: contents are compared, since WordPress answers for a missing name.
echo 'canary of root 37' > /etc/panel/proof-37; chmod 600 /etc/panel/proof-37
rm -f /tmp/37.links
for to in /home/spy/secret.txt /home/spy/sites/spy.example/public/index.php /etc/panel/proof-37 /etc/panel /etc/shadow /etc/panel/tls /var/lib/panel /var/log/panel/spy /root /proc/1/environ /run/panel-php/spy; do
  ln -sfn "$to" "$root/evil/linked"
  for options in 'Options +FollowSymLinks' 'Options +SymLinksIfOwnerMatch' 'Options +Indexes +FollowSymLinks'; do
    file evil/.htaccess <<< "$options"
    for path in evil/linked evil/linked/ evil/linked/index.php; do ask $path >> /tmp/37.links; done
  done
done
is "links show nothing of others" 0 "$(grep -c 'the secret of spy\|of spy\|canary of root\|PRIVATE KEY\|root:[*$!]' /tmp/37.links)"
# Where Apache lists a directory, it is one of its own namespace: its own settings, and versions of PHP, as PHP itself sees them.
is 'nor their names' '' "$(sed -n 's/.*<li><a href="\([^"]*\)".*/\1/p' /tmp/37.links | grep -vE '^(/evil/|apache/|[0-9.]+-[0-9a-f]+/)$' | sort -u | xargs)"
rm -f "$root/evil/linked" /etc/panel/proof-37
file evil/.htaccess <<< "ErrorLog \"|/bin/sh -c 'id > $root/evil/piped'\"
CustomLog \"|/bin/sh -c 'id > $root/evil/piped'\" common"
ask evil/a.txt > /dev/null
is 'logs start no program' '' "$(ls "$root/evil/piped" 2> /dev/null)"
file evil/.htaccess <<< 'RewriteEngine On
RewriteMap m "prg:/bin/sh"
RewriteRule (.*) ${m:$1}'
is 'maps of rewrites are for the configuration' 500 "$(status evil/a.txt)"
for directive in 'LoadModule x /tmp/x.so' 'User root' 'Include /etc/shadow' 'DocumentRoot /' 'php_admin_value open_basedir none' 'SSLProxyEngine on' 'Listen 80' 'Alias /x /etc'; do outside "$directive" "$directive"; done
file evil/.htaccess <<< 'RewriteEngine On
RewriteRule (.*) $1 [N]'
ask evil/a.txt -o /dev/null --max-time 5
is 'an endless rule keeps only its own request' 200 "$(status hello-world/ --max-time 20)"
is 'and no other account' 'of spy' "$(curl -s --max-time 5 --resolve spy.example:80:127.0.0.1 http://spy.example/)"
rm -r "$root/evil"

left=$((120 - $(date +%s) + sized))
is 'php_value takes effect within two minutes' 0 "$(becomes $((left > 10 ? left : 10)) 48M ask sized/v.php; echo $?)"
echo "# after $(($(date +%s) - sized)) s at the most"

# Suspended, after the agent was killed, and terminated: nothing runs or listens.
# What works in homes for the agent ends by itself a little later.
programs() { ps -o args= -u press | grep -v 'host agent --home$'; }
of_press() { systemctl list-units --plain --no-legend --state=active 'panel-*-press.service' 'panel-*-press.socket' | wc -l; }
quietly panel accounts suspend press
is 'suspended, nothing runs or listens' '0 ' "$(of_press) $(programs)"
is 'and no door is open' 503 "$(status hello-world/)"
systemctl kill --signal=KILL --kill-whom=main panel-host
eventually panel host status
is 'nor after kill -9 of the agent' '0  503' "$(of_press) $(programs) $(status hello-world/)"
quietly panel accounts unsuspend press
is 'unsuspended, WordPress answers' 200 "$(status hello-world/)"
systemctl kill --signal=KILL --kill-whom=main panel-host
is 'without the agent it answers, too' 200 "$(status hello-world/)"
eventually panel host status
quietly panel accounts terminate press --yes --confirm press
is 'terminated, nothing is left' '0 ' "$(of_press) $(ls -d /etc/panel/apache/press /run/panel-apache/press* /etc/systemd/system/*-press.* 2> /dev/null)"
quietly panel accounts terminate spy --yes --confirm spy
quietly apt-get purge -y -q --auto-remove wordpress "$theme"
rm -r "$work"
