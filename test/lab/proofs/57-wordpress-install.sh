# WordPress installed from a source: its core, verified, in its place at once; the database with it.
. "$(dirname "$0")/../lib.sh"

account wp57
site=wp57.example home=/home/wp57 password="Sand piper's \"canary\" \\57"
online() { unshare -m sh -c 'mount --bind /root/online-resolver /etc/resolv.conf && exec "$@"' sh "$@"; }
theme=$(apt-cache show wordpress | grep -o 'wordpress-theme-[a-z]*' | head -1)
online apt-get install -y -q --no-install-recommends wordpress "$theme" > $said 2>&1 || { echo "FAILED to install WordPress: $(tail -2 $said)"; exit 1; }

# Debian's core in the form of a source.
source=/srv/wordpress-57; mkdir -p $source/wordpress
cp -rL /usr/share/wordpress/. $source/wordpress/ 2> /dev/null
rm -f $source/wordpress/wp-config.php
version=$(sed -n "s/^\$wp_version = '\(.*\)';/\1/p" $source/wordpress/wp-includes/version.php)
number=$(grep -o '^[0-9.]*[0-9]' <<< "$version")
tar -C $source -czf "$source/wordpress-$number.tar.gz" wordpress
(cd $source && sha256sum "wordpress-$number.tar.gz" > "wordpress-$number.tar.gz.sha256")
rm -r $source/wordpress
echo "# WordPress $version"
refused 'a source that does not exist' panel settings update --wordpress-source relative
quietly panel settings update --wordpress-source $source

jar=/tmp/57.jar; rm -f $jar
ask() { curl -sk -b $jar -c $jar --resolve '*:443:127.0.0.1' --resolve '*:80:127.0.0.1' "$@"; }
status() { ask -o /dev/null -w '%{http_code}' "$@"; }
install_it() { panel wordpress install "$@" --title 'My "Shop" & more' --admin-user ed --admin-email ed@wp57.example -a wp57; }
made() { echo "$(panel wordpress list -a wp57 -o json | grep -c '"path"') $(panel mysql databases list -a wp57 -o json | sed -n '/"users"/,/\]/d; /"name": "wp57_wp/p' | wc -l) $(find $home/.panel/wordpress -mindepth 1 2> /dev/null | wc -l)"; }

begun=$(date +%s%N)
quietly bash -c "printf %s '${password//\'/\'\\\'\'}' | panel wordpress install $site --title 'My \"Shop\" & more' --admin-user ed --admin-email ed@wp57.example --admin-password-stdin -a wp57"
url=$(panel wordpress sign-in $site -o json 2> $said | sed -n 's/.*"url": "\(.*\)".*/\1/p')
is 'a link leads to the dashboard' '302 200' "$(status "$url") $(status http://$site/wp-admin/)"
took=$(($(date +%s%N) - begun)) load=$(cut -d. -f1 /proc/loadavg)
echo "# installed and signed in after $((took / 1000000)) ms, at a load of $load"
is 'within 15 seconds, if the machine has time' yes "$([ $took -lt 15000000000 ] || [ "$load" -gt "$(nproc)" ] && echo yes || echo no)"
is 'a second use of the link fails' 404 "$(status "$url")"
is 'one site, one database, nothing beside them' '1 1 0' "$(made)"
is 'the configuration is for the account alone' 'wp57:wp57 600' "$(stat -c '%U:%G %a' $home/sites/$site/public/wp-config.php)"
is 'the document root is as the web server needs it' 200 "$(status http://$site/)"
rm -f $jar
is 'the password signs in' 302 "$(status http://$site/wp-login.php -b 'wordpress_test_cookie=WP%20Cookie%20check' --data-urlencode log=ed --data-urlencode "pwd=$password" -d testcookie=1)"
is 'the title' 1 "$(ask http://$site/ | grep -c '<title>My &quot;Shop&quot; &amp; more\|<title>My &#8220;Shop&#8221; &#038; more')"
is 'no posts and pages' 0 "$(mariadb wp57_wp -Ne "SELECT COUNT(*) FROM wp_posts WHERE post_type IN ('post', 'page') AND post_status = 'publish'")"
is 'comments and pings are closed' 'closed closed' "$(mariadb wp57_wp -Ne "SELECT option_value FROM wp_options WHERE option_name IN ('default_comment_status', 'default_ping_status')" | xargs)"
is 'one category' 1 "$(mariadb wp57_wp -Ne 'SELECT COUNT(*) FROM wp_terms')"
is 'pretty addresses' '200 404 1' "$(status http://$site/wp-json/) $(status http://$site/none/) $(ask http://$site/none/ | grep -c '<title>Page not found')"
is 'the handler' php-front "$(panel domains show $site -a wp57 -o json | sed -n 's/.*"handler": "\(.*\)".*/\1/p')"
is 'passwords are in no log and no store' 0 "$(grep -rlaE 'canary\\*" \\*57' /var/log/panel /var/lib/panel 2> /dev/null | wc -l)"
refused 'a second one at the same place' install_it $site
install_it $site --path /blog -o json > $said 2>&1
is 'a generated password is answered' 1 "$(grep -c '"admin_password": "[A-Za-z0-9_-]\{20\}"' $said)"
is 'below a path' '200 200' "$(status http://$site/blog/) $(status http://$site/blog/index.php/wp-json/)"
quietly panel wordpress delete $site/blog --confirm http://$site/blog -a wp57
eventually bash -c '[ "$(mariadb -Ne "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name LIKE \"wp57%\"")" = 1 ]'
is 'deleted with its database' 1 "$(mariadb -Ne "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name LIKE 'wp57%'")"

# Killed at each step: nothing is left, or all of it.
quietly panel domains create kill.wp57.example -a wp57
whole=0 none=0 other=0
for attempt in $(seq 20); do
  install_it kill.wp57.example --path /k$attempt > /dev/null 2>&1 & client=$!
  sleep "0.$((attempt % 10))" ; [ $attempt -gt 10 ] && sleep 1.5
  systemctl kill --signal=KILL --kill-whom=main panel
  [ $((attempt % 2)) = 0 ] || systemctl kill --signal=KILL --kill-whom=main panel-host
  wait $client
  eventually panel host status
done
settled() { ! panel jobs list --account wp57 -o json | grep -q '"status": "\(queued\|running\)"'; }
for _ in $(seq 120); do settled && break; sleep 1; done
for attempt in $(seq 20); do
  row=$(panel wordpress show kill.wp57.example/k$attempt -a wp57 -o json 2> /dev/null | sed -n 's/.*"status": "\(.*\)".*/\1/p')
  case "$row $(status http://kill.wp57.example/k$attempt/)" in
    'active 200') whole=$((whole + 1)) ;;
    ' 404') none=$((none + 1)) ;;
    *) other=$((other + 1)); echo "# k$attempt: $row $(status http://kill.wp57.example/k$attempt/)" ;;
  esac
done
echo "# of 20 that were killed, $whole are whole, and $none are not there"
is 'killed at each step: whole, or not there' 0 $other
is 'and nothing else is left' "$((whole + 1)) $((whole + 1)) 0" "$(made)"

# Hostile sources and sites.
echo broken >> "$source/wordpress-$number.tar.gz"
refused 'an archive that does not have its checksum' install_it kill.wp57.example --path /broken
is 'leaves nothing' "$((whole + 1)) $((whole + 1)) 0" "$(made)"
mkdir -p $source/wordpress/wp-includes; ln -s /etc/shadow $source/wordpress/wp-config.php; echo "<?php \$wp_version = '99.1';" > $source/wordpress/wp-includes/version.php
echo '<?php file_put_contents("/home/wp57/who", posix_getuid() . " " . (@fsockopen("127.0.0.1", 80) ? "open" : "closed")); exit;' > $source/wordpress/wp-load.php
tar -C $source -czf $source/wordpress-99.1.tar.gz wordpress
(cd $source && sha256sum wordpress-99.1.tar.gz > wordpress-99.1.tar.gz.sha256)
refused 'a core that ends PHP' install_it kill.wp57.example --path /hostile
is 'runs as the tenant, without a network' "$(id -u wp57) closed" "$(cat $home/who 2> /dev/null)"
is 'and leaves nothing' "$((whole + 1)) $((whole + 1)) 0" "$(made)"
rm -r $source
quietly panel settings update --wordpress-source null
quietly panel accounts terminate wp57 --yes --confirm wp57
quietly apt-get purge -y -q --auto-remove wordpress "$theme"
