# A page answers with the account's own uid; https by name; unknown names get nothing.
. "$(dirname "$0")/../lib.sh"

begun=$(date +%s%N)
account alice
is 'a page is served after creating the account' 200 "$(code alice.example)"
echo "# create to served page: $(since "$begun")"
is 'systemd has nothing to read again' no "$(systemctl show -P NeedDaemonReload "$(php_socket alice)")"
put alice who.php <<< '<?php echo posix_getuid();'
is "PHP runs with the account's own uid" "$(id -u alice)" "$(page alice.example who.php)"
put alice path.php <<< '<?php echo $_SERVER["SCRIPT_NAME"], " ", $_SERVER["PATH_INFO"] ?? "none", " ", ini_get("open_basedir"), ini_get("session.gc_probability");'
is 'a script gets the path after its name, and removes old sessions' '/path.php /a/b 1' "$(page alice.example path.php/a/b)"
is 'and no path without one' '/path.php none 1' "$(page alice.example path.php)"
put alice wait.php <<< '<?php set_time_limit(0); sleep(65); echo "done";'
is 'a script may run for more than a minute' done "$(page alice.example wait.php)"
put alice index.php <<< '<?php echo "a program";'
is 'a program comes before the page of a new site' 'a program' "$(page alice.example)"
rm /home/alice/sites/alice.example/public/index.php
head -c 20000 /dev/zero | tr '\0' a | put alice style.css
is 'text is compressed, and says no version' 'gzip nginx' "$(curl -s -o /dev/null -D - --compressed --resolve alice.example:80:127.0.0.1 http://alice.example/style.css | tr -d '\r' | sed -n 's/^\(Content-Encoding\|Server\): //Ip' | sort | xargs)"
put alice size.php <<< '<?php echo $_FILES["f"]["size"] ?? "none";'
head -c 5000000 /dev/zero > /tmp/upload
is 'PHP takes an upload of 5 MB' 5000000 "$(curl -s -F f=@/tmp/upload --resolve alice.example:80:127.0.0.1 http://alice.example/size.php)"
rm /tmp/upload
install -d -o alice -g alice /home/alice/sites/alice.example/public/{.well-known,.git}
put alice .well-known/security.txt <<< 'Contact: mailto:info@alice.example'
put alice .git/config <<< 'secret'
is 'what is hidden is not served, but for what others look for' '200 403' "$(code alice.example .well-known/security.txt) $(code alice.example .git/config)"
install -d -o alice -g alice /home/alice/sites/alice.example/public/cgi-bin
put alice cgi-bin/who <<< $'#!/bin/sh\nprintf "Content-Type: text/plain\\n\\n%s %s" "$(id -u)" "$(grep -c -m1 panel-alice.slice /proc/self/cgroup) $(ls /home)"'
is 'a CGI script that may not be executed is not' 403 "$(code alice.example cgi-bin/who)"
chmod 755 /home/alice/sites/alice.example/public/cgi-bin/who
is 'others run as the account, in its slice, with its own home alone' "$(id -u alice) 1 alice" "$(page alice.example cgi-bin/who)"
is 'an unknown name gets nothing' 000 "$(code nobody.example)"
is 'https answers by name' 200 "$(curl -sk -o /dev/null -w '%{http_code}' --resolve alice.example:443:127.0.0.1 https://alice.example/)"
is 'an unknown name has no certificate' 000 "$(curl -sk -o /dev/null -w '%{http_code}' --resolve nobody.example:443:127.0.0.1 https://nobody.example/)"
is 'a home belongs to its owner' 'alice:www-data 710' "$(stat -c '%U:%G %a' /home/alice)"
is 'what lies in it too' 'alice:alice' "$(stat -c '%U:%G' /home/alice/sites/alice.example/public)"

quietly panel accounts update alice --username alicia
is 'renamed: the page is served' 200 "$(code alice.example)"
is 'renamed: so are its CGI scripts' "$(id -u alicia) 0 alicia" "$(page alice.example cgi-bin/who)"
is 'renamed: the user has its uid' alicia "$(stat -c %U /home/alicia)"
quietly panel accounts update alicia --no-cgi
is 'without CGI its scripts are not there' 404 "$(code alice.example cgi-bin/who)"
