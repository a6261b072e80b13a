# What a site's own WordPress answers, and links that sign in: its code runs as the tenant, in its slice, without a network.
. "$(dirname "$0")/../lib.sh"

account wp54
account spy54
root=/home/wp54/sites/wp54.example/public password=Sandpiper-canary-54
# The package's own Apache and PHP stay as they are: it is only a source of files.
online() { unshare -m sh -c 'mount --bind /root/online-resolver /etc/resolv.conf && exec "$@"' sh "$@"; }
theme=$(apt-cache show wordpress | grep -o 'wordpress-theme-[a-z]*' | head -1)
online apt-get install -y -q --no-install-recommends wordpress "$theme" > $said 2>&1 || { echo "FAILED to install WordPress: $(tail -2 $said)"; exit 1; }
cp -rL /usr/share/wordpress/. "$root/" 2> /dev/null
quietly panel mysql databases create blog -a wp54
quietly bash -c "printf %s $password | panel mysql users create blog -a wp54 --password-stdin"
quietly panel mysql grant wp54_blog wp54_blog
settings() { # settings [CODE]: the configuration, which begins with CODE; its database is at an address
  cat > "$root/wp-config.php" <<PHP
<?php
$1
define('DB_NAME', 'wp54_blog'); define('DB_USER', 'wp54_blog'); define('DB_PASSWORD', '$password'); define('DB_HOST', '127.0.0.1');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', ''); define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true);
\$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
PHP
}
settings
chown -R wp54:wp54 "$root"
quietly panel wordpress scan -a wp54

jar=/tmp/54.jar; rm -f $jar
ask() { curl -sk -b $jar -c $jar --resolve '*:443:127.0.0.1' --resolve '*:80:127.0.0.1' "$@"; }
status() { ask -o /dev/null -w '%{http_code}' "$@"; }
ask 'http://wp54.example/wp-admin/install.php?step=2' -d "weblog_title=Proof&user_name=ed&admin_password=$password&admin_password2=$password&pw_weak=1&admin_email=ed@wp54.example&blog_public=0" > /tmp/54.installed
is 'WordPress installs itself' 1 "$(grep -c 'Success!' /tmp/54.installed)"

install -d -o wp54 -g wp54 "$root/wp-content/plugins/broken54"
printf "<?php\n/* Plugin Name: Broken\nVersion: 1.5 */\nfile_put_contents('/home/wp54/loaded', 'x'); none();\n" > "$root/wp-content/plugins/broken54/broken54.php"
begun=$(date +%s%N)
is 'plugins are listed, and not run' 'broken54 1.5 false' "$(panel wordpress plugins wp54.example -o json | tr -d '\n' | grep -o '{[^{]*broken54[^}]*}' | sed 's/[",]//g; s/.*slug: *\([^ ]*\).*version: *\([^ ]*\) *active: *\([a-z]*\).*/\1 \2 \3/')"
echo "# $(since "$begun")"
is 'the plugin did not run' no "$([ -e /home/wp54/loaded ] && echo yes || echo no)"
is 'the theme' true "$(panel wordpress themes wp54.example -o json | sed -n 's/.*"active": \([a-z]*\).*/\1/p' | sort -u | tail -1)"
is 'the user' ed "$(panel wordpress users wp54.example -o json | sed -n 's/.*"username": "\(.*\)".*/\1/p')"

# Signing in.
link() { panel wordpress sign-in wp54.example "$@" -o json 2> $said | sed -n 's/.*"url": "\(.*\)".*/\1/p'; }
left() { find /home/wp54 -name 'panel-sign-in-*' | wc -l; }
begun=$(date +%s%N)
url=$(link)
is 'a link leads to the dashboard' '302 200' "$(status "$url") $(status http://wp54.example/wp-admin/)"
echo "# $(since "$begun")"
is 'nothing of it is left' '0 0' "$(left) $(mariadb wp54_blog -Ne "SELECT COUNT(*) FROM wp_options WHERE option_value LIKE '%panel-sign-in%'")"
rm -f $jar
is 'a second use fails' '404 302' "$(status "$url") $(status http://wp54.example/wp-admin/)"
url=$(link --user ed)
is 'a wrong token signs nobody in, and leaves the link' '404 404 1' "$(status "${url%?????}wrong") $(status "${url%%\?*}") $(left)"
is 'requests at once: one signs in' 1 "$(for _ in $(seq 8); do curl -s -o /dev/null -w '%{http_code}\n' --resolve wp54.example:80:127.0.0.1 "$url" & done | grep -c 302; wait)"
refused 'who is not an administrator' panel wordpress sign-in wp54.example --user none
url=$(link)
sleep 70
is 'an unused link is gone after a minute' '0 404' "$(left) $(status "$url")"

# Hostile sites: what their code does is theirs alone.
echo 'the secret of spy' | install -o spy54 -g spy54 -m 0600 /dev/stdin /home/spy54/secret.txt
settings '$c = @fsockopen("127.0.0.1", 80, $e, $s, 2); file_put_contents("/home/wp54/tried", implode(" ", [posix_getuid(), $c ? "open" : "closed", @file_get_contents("/home/spy54/secret.txt") ?: "unread", count(glob("/home/*")), preg_match("~panel-wp54.slice/panel-script-~", file_get_contents("/proc/self/cgroup")) ? "slice" : "none"]));'
quietly panel wordpress users wp54.example
is 'runs as the tenant, without a network' "$(id -u wp54) closed unread 1 slice" "$(cat /home/wp54/tried)"
fails() { # fails WHAT CODE WORDS: refused with these words
  settings "$2"
  panel wordpress users wp54.example > $said 2>&1
  is "$1" 1 "$(grep -c "$3" $said)"
}
fails 'an answer of its own' 'echo "\n", str_repeat("a", 48), "\n{\"answer\":{\"items\":[]}}\n", str_repeat("a", 48), "\n"; exit;' 'ended before it had answered'
fails 'a large output' '$o = fopen("php://stdout", "w"); for (;;) fwrite($o, str_repeat("x", 65536));' 'more than an answer may have'
fails 'a loop without an end' 'set_time_limit(0); for (;;);' 'did not end within\|did not answer in time'
fails 'a process that stays' 'exec("(sleep 300; :) > /dev/null 2>&1 &"); exit;' 'ended before it had answered'
fails 'all memory' '$a = []; ini_set("memory_limit", -1); for (;;) $a[] = str_repeat("x", 1 << 20);' 'did not answer\|memory'
is 'leaves no process' 0 "$(systemctl list-units --plain --no-legend 'panel-script-wp54-*' | wc -l)"
settings
printf 'auto_prepend_file=/home/wp54/prepended.php\n' | tee "$root/.user.ini" "$root/php.ini" /home/wp54/php.ini > /dev/null
echo '<?php exit("prepended");' > /home/wp54/prepended.php
quietly panel wordpress users wp54.example
rm -f "$root/.user.ini"
quietly panel accounts suspend wp54
refused 'a suspended site' panel wordpress users wp54.example
refused 'and its link' panel wordpress sign-in wp54.example
quietly panel accounts terminate wp54 --yes --confirm wp54
quietly panel accounts terminate spy54 --yes --confirm spy54
quietly apt-get purge -y -q --auto-remove wordpress "$theme"
