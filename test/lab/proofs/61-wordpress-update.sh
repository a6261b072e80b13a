# Updates of WordPress: what breaks a site goes back by itself, and nothing else; its code is hostile.
. "$(dirname "$0")/../lib.sh"

account wp61
home=/home/wp61 site=wp61.example
root=$home/sites/$site/public
# The package's own Apache and PHP stay as they are: it is only a source of files.
online() { unshare -m sh -c 'mount --bind /root/online-resolver /etc/resolv.conf && exec "$@"' sh "$@"; }
theme=$(apt-cache show wordpress | grep -o 'wordpress-theme-[a-z]*' | head -1)
online apt-get install -y -q --no-install-recommends wordpress "$theme" > $said 2>&1 || { echo "FAILED to install WordPress: $(tail -2 $said)"; exit 1; }

# Debian's core as a source, its version and the next one.
source=/srv/wordpress-61; mkdir -p $source/wordpress $source/plugins $source/themes
cp -rL /usr/share/wordpress/. $source/wordpress/ 2> /dev/null
rm -f $source/wordpress/wp-config.php
number=$(sed -n "s/^\$wp_version = '\([0-9.]*[0-9]\).*/\1/p" $source/wordpress/wp-includes/version.php)
sums() { (cd "$source/$1" && for file in *.tar.gz *.zip; do [ -e "$file" ] && sha256sum "$file" > "$file.sha256"; done); }
core() { # core VERSION: the core under another version
  sed -i "s/^\$wp_version = '.*/\$wp_version = '$1';/" $source/wordpress/wp-includes/version.php
  tar -C $source -czf "$source/wordpress-$1.tar.gz" wordpress; sums .
}
core "$number"
plugin() { # plugin SLUG VERSION [CODE]: an archive of a plugin with this code
  local made; made=$(mktemp -d); mkdir "$made/$1"
  printf '<?php\n/* Plugin Name: %s\nVersion: %s */\n%s\n' "$1" "$2" "${3:-}" > "$made/$1/$1.php"
  (cd "$made" && python3 -m zipfile -c "$source/plugins/$1.$2.zip" "$1"); rm -r "$made"; sums plugins
}
quietly panel settings update --wordpress-source $source
quietly panel wordpress install $site --title Shop --admin-user ed --admin-email ed@$site -a wp61
present() { # present SLUG [CODE]: a plugin in version 1.0, installed and active
  install -d -o wp61 -g wp61 "$root/wp-content/plugins/$1"
  printf '<?php\n/* Plugin Name: %s\nVersion: 1.0 */\n%s\n' "$1" "${2:-}" | install -o wp61 -g wp61 -m 0644 /dev/stdin "$root/wp-content/plugins/$1/$1.php"
}
active() { # active SLUG...: these alone are active
  local list='' at=0
  for slug; do list+="i:$at;s:$((${#slug} * 2 + 5)):\"$slug/$slug.php\";"; at=$((at + 1)); done
  mariadb wp61_wp -e "UPDATE wp_options SET option_value = 'a:$#:{$list}' WHERE option_name = 'active_plugins'"
}
version() { sed -n 's/^Version: \([0-9.]*\).*/\1/p' "$root/wp-content/plugins/$1/$1.php"; }
update() { panel wordpress update $site -a wp61 "$@" > $said 2>&1; }
for slug in good61 bad61 fine61; do present $slug; done
active good61 bad61 fine61
is 'the site answers' 200 "$(code $site)"

# One of three breaks; visitors ask meanwhile.
for slug in good61 fine61; do plugin $slug 2.0; done
plugin bad61 2.0 'none_such_61();'
( until [ -e /tmp/61.stop ]; do printf '%s %s\n' "$(date +%s%N)" "$(code $site)"; done > /tmp/61.seen ) & watcher=$!
begun=$(date +%s%N)
update; ended=$?
took=$(($(date +%s%N) - begun))
touch /tmp/61.stop; wait $watcher; rm /tmp/61.stop
is 'the command ends with 9 and names the one' '9 yes' "$ended $(grep -q 'Rolled back: plugin bad61 2.0 (/: PHP failed: .*none_such_61' $said && echo yes)"
is 'the others are updated' '2.0 1.0 2.0' "$(version good61) $(version bad61) $(version fine61)"
is 'the site answers' 200 "$(code $site)"
broken=$(awk '$2 >= 500 && $2 != 503 { if (!begin) begin = $1; last = $1 } END { print int((last - begin) / 1000000) }' /tmp/61.seen)
echo "# $(wc -l < /tmp/61.seen) requests meanwhile, $(awk '$2 == 500' /tmp/61.seen | wc -l) answered 500, the last $broken ms after the first; all took $((took / 1000000)) ms at a load of $(cut -d' ' -f1 /proc/loadavg)"
# Two seconds on a machine that does nothing else.
is 'visitors got 500 during less than a third of it' yes "$([ $((broken * 3)) -le $((took / 1000000)) ] && echo yes || echo no)"

# Undo.
quietly panel wordpress undo $site -a wp61
is 'all is as it was' '1.0 1.0 1.0 200' "$(version good61) $(version bad61) $(version fine61) $(code $site)"
refused 'a second undo' panel wordpress undo $site -a wp61
is 'nothing is left beside the site' 0 "$(find $home/.panel/wordpress -mindepth 1 | wc -l)"

# A change of the database goes back with its plugin, unless an order came meanwhile.
rm $source/plugins/*
change='if (!get_option("changed61")) { global $wpdb; update_option("changed61", "yes"); $wpdb->query("ALTER TABLE wp_options ADD new61 INT NULL"); } none_such_61();'
plugin bad61 3.0 "$change"
column() { mariadb wp61_wp -Ne "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'wp61_wp' AND column_name = 'new61'"; }
update
is 'the database goes back' '0 0' "$(column) $(mariadb wp61_wp -Ne 'SELECT COUNT(*) FROM wp_options WHERE option_name = "changed61"')"
order='global $wpdb; $wpdb->query("INSERT INTO wp_comments (comment_content, comment_author, comment_date, comment_date_gmt) VALUES (\"kept61\", \"\", NOW(), NOW())");'
plugin bad61 4.0 "$order $change"
update
is 'a comment that came meanwhile stays' '1 yes' "$(column) $([ "$(mariadb wp61_wp -Ne 'SELECT COUNT(*) FROM wp_comments WHERE comment_content = "kept61"')" -gt 0 ] && echo yes)"
is 'and the job says so' 1 "$(panel jobs logs "$(newest_job wordpress.update)" | grep -c 'The database stays as it is')"
is 'the plugin is back' '1.0 200' "$(version bad61) $(code $site)"
mariadb wp61_wp -e 'ALTER TABLE wp_options DROP new61; DELETE FROM wp_options WHERE option_name = "changed61"'

# Another core.
core 99.1
update --core true || cat $said
is 'the core is updated' "99.1 200" "$(panel wordpress show $site -a wp61 -o json | sed -n 's/.*"version": "\(.*\)".*/\1/p') $(code $site)"
echo '<?php none_such_61();' > $source/wordpress/wp-includes/link-template.php
core 99.2
update --core true
is 'a broken core goes back, and is named' '9 yes 99.1 200 no' "$? $(grep -q 'Rolled back: WordPress 99.2' $said && echo yes) $(sed -n "s/^\$wp_version = '\(.*\)';/\1/p" $root/wp-includes/version.php) $(code $site) $([ -e $root/.maintenance ] && echo yes || echo no)"
rm $source/wordpress-99.2*

# Hostile plugins, which are their tenant's own.
hostile() { # hostile WHAT VERSION CODE
  rm -f $source/plugins/*
  plugin bad61 "$2" "$3"
  begun=$(date +%s)
  update --plugins bad61
  is "$1" '9 1.0 200' "$? $(version bad61) $(code $site)"
  echo "# $(($(date +%s) - begun)) s"
}
hostile 'a loop without an end' 5.0 'if (PHP_SAPI === "cli") { set_time_limit(0); for (;;); }'
hostile 'processes without an end' 5.1 'if (PHP_SAPI === "cli") { exec("(setsid sleep 300 > /dev/null 2>&1 &)"); for (;;) exec("sleep 1 &"); }'
is 'no process stays' 0 "$(pgrep -u wp61 sleep | wc -l)"
hostile 'an answer of its own' 5.2 'if (PHP_SAPI === "cli") { $m = (new ReflectionClass("Panel_Task"))->getProperty("request"); $m->setAccessible(true); $m = $m->getValue()["mark"]; file_put_contents("php://stdout", "\n$m\n{\"answer\":{\"status\":200,\"title\":\"\",\"bytes\":\"many\",\"complete\":true,\"words\":[]}}\n$m\n"); posix_kill(getmypid(), 9); }'
hostile 'a large output' 5.3 'if (PHP_SAPI === "cli") { $o = fopen("php://stdout", "w"); for (;;) fwrite($o, str_repeat("x", 65536)); }'
install -d -o wp61 -g wp61 $home/elsewhere
rm -f $source/plugins/*; plugin bad61 6.0 ''
( while [ ! -e /tmp/61.stop ]; do
    runuser -u wp61 -- sh -c "mv $root/wp-content/plugins/bad61 $home/moved61 && ln -s /etc $root/wp-content/plugins/bad61; sleep 0.05; rm -f $root/wp-content/plugins/bad61; mv $home/moved61 $root/wp-content/plugins/bad61" 2> /dev/null
  done ) & swapper=$!
update --plugins bad61
touch /tmp/61.stop; wait $swapper; rm -f /tmp/61.stop
is 'links in place of directories lead nowhere' 'root:root' "$(stat -c %U:%G /etc)"
is 'and the site is free again' active "$(panel wordpress show $site -a wp61 -o json | sed -n 's/.*"status": "\(.*\)".*/\1/p')"
quietly panel accounts suspend wp61
refused 'a suspended site' panel wordpress update $site -a wp61
quietly panel accounts terminate wp61 --yes --confirm wp61
rm -r $source
quietly panel settings update --wordpress-source null
quietly apt-get purge -y -q --auto-remove wordpress "$theme"
