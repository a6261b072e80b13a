# WordPress sites are found by the text of their files, read as the account's own user; none of their code runs.
# Deleted ones go to the trash.
. "$(dirname "$0")/../lib.sh"

account press45
account spy45
root=/home/press45/sites/press45.example/public
site() { # site DIRECTORY [USER]: an installation; its configuration comes from standard input
  local user=${2:-press45}
  install -d -o "$user" -g "$user" "$1" "$1/wp-includes"
  install -o "$user" -g "$user" -m 0640 /dev/stdin "$1/wp-includes/version.php" <<< "<?php \$wp_version = '6.8.1'; touch('/tmp/ran-45');"
  install -o "$user" -g "$user" -m 0600 /dev/stdin "$1/wp-config.php"
}
settings() { printf "<?php define('DB_NAME', 'press45_wp'); \$table_prefix = '%s'; require 'wp-settings.php';" "${1:-wp_}"; }
# What is shown of a site: FIELD DOMAIN[/PATH]
shown() { panel wordpress show "$2" -o json 2> $said | sed -n "s/^ *\"$1\": \"\?\([^\",]*\)\"\?,\?$/\1/p" | head -1; }

for n in $(seq 200); do settings "wp${n}_" | site "$root/s$n"; done
begun=$(date +%s%N)
quietly panel wordpress scan -a press45
took=$((($(date +%s%N) - begun) / 1000000))
is '200 installations are found' 200 "$(panel wordpress list -a press45 -o name 2> /dev/null | wc -l)"
is 'in less than 5 seconds' yes "$([ $took -lt 5000 ] && echo yes || echo "$took ms")"
echo "# $took ms"
is 'with prefix, version and database' 'wp77_ 6.8.1 press45_wp active' "$(for f in table_prefix version db status; do shown $f press45.example/s77; done | xargs)"
is 'in the list of the server' yes "$([ "$(panel wordpress list --all --search press45 -o name | wc -l)" -ge 50 ] && echo yes)"
rm -rf "$root"/s*

settings above_ | site "$root/blog"
mv "$root/blog/wp-config.php" "$root/wp-config.php"
echo '<?php die();' | site "$root/die"
echo "<?php exec('touch /tmp/ran-45'); while (true) {}" | site "$root/exec"
settings | site "$root/large"; truncate -s 10G "$root/large/wp-config.php"
settings | site "$root/pipe"; rm "$root/pipe/wp-config.php"; mkfifo "$root/pipe/wp-config.php"
settings spy_ | site /home/spy45/sites/spy45.example/public/blog spy45
chmod 0711 /home/spy45 2> /dev/null
ln -s /home/spy45/sites/spy45.example/public/blog "$root/linked"
settings | site "$root/foreign"; rm "$root/foreign/wp-config.php"; ln -s /home/spy45/sites/spy45.example/public/blog/wp-config.php "$root/foreign/wp-config.php"
settings | site "$root/shadow"; rm "$root/shadow/wp-config.php"; ln -s /etc/shadow "$root/shadow/wp-config.php"
chown -h press45:press45 "$root"/linked "$root"/{foreign,shadow,pipe}/wp-config.php
begun=$(date +%s%N)
quietly timeout 30 panel wordpress scan -a press45
echo "# hostile ones: $(since "$begun")"
is 'a configuration above the site' 'above_ active' "$(for f in table_prefix status; do shown $f press45.example/blog; done | xargs)"
for name in die exec large pipe foreign shadow; do is "unhealthy: $name" unhealthy "$(shown status "press45.example/$name")"; done
is "nothing of another's" '' "$(shown table_prefix press45.example/foreign)"
quietly panel wordpress scan -a spy45
is 'the other finds its own' 'spy_ active' "$(for f in table_prefix status; do shown $f spy45.example/blog; done | xargs)"
refused 'a link leads to no site' panel wordpress show press45.example/linked
is 'no code ran' no "$([ -e /tmp/ran-45 ] && echo yes || echo no)"

# A change of the document root scans by itself.
settings own_ | site /home/press45/other
quietly panel domains update press45.example --document-root other -a press45
is 'the former sites are missing, the new one is found' 'missing own_' "$(
  for _ in $(seq 100); do [ "$(shown table_prefix press45.example)" = own_ ] && break; sleep 1; done
  echo "$(shown status press45.example/blog) $(shown table_prefix press45.example)"
)"

# Deleting moves files to the trash; what is not of WordPress stays.
install -o press45 -g press45 /dev/null /home/press45/other/mine.html
refused 'a deletion without confirmation' panel wordpress delete press45.example
quietly panel wordpress delete press45.example --yes
is 'is gone, and what is not of WordPress stays' 'mine.html' "$(ls -A /home/press45/other | xargs)"
is 'its files are in the trash' 'other/wp-config.php other/wp-includes' "$(panel trash list -a press45 -o json | sed -n 's/^ *"path": "\(.*\)",$/\1/p' | sort | xargs)"
refused 'it is no longer listed' panel wordpress show press45.example
