# phpMyAdmin's one-time link opens one account's databases only; webmail's opens one mailbox. Each works once.
. "$(dirname "$0")/../lib.sh"
password=canary-Sandpiper-1616
rm -f /tmp/jar /tmp/none /tmp/box /tmp/form
on() { echo "--resolve $1.host.example:443:127.0.0.1"; }
ask() { curl -sk $(on phpmyadmin) $(on webmail) "$@"; }
status() { ask -o /tmp/page -w '%{http_code}' "$@"; }
link() { panel "$@" -o json | grep -o 'https://[^"]*'; }
secret() { printf %s "$password"; }

account pia
account piaxshop
quietly panel mysql databases create shop -a pia
quietly panel mysql databases create shop -a piaxshop
mariadb -e "CREATE TABLE pia_shop.birds (name varchar(20)) ENGINE=InnoDB; INSERT INTO pia_shop.birds VALUES ('sandpiper')"
quietly bash -c "printf %s $password | panel email create info@pia.example --password-stdin"
quietly bash -c "printf %s $password | panel email create other@pia.example --password-stdin"
jobs_end

# -- phpMyAdmin
pma=https://phpmyadmin.host.example
url=$(link mysql phpmyadmin -a pia)
is 'the link is at a name of its own' "$pma/open" "${url%\?*}"
is 'HEAD does not open it' 405 "$(status -I "$url")"
is 'a browser that loads it in advance does not open it' 403 "$(status -H 'Sec-Purpose: prefetch' "$url")"
is 'it opens phpMyAdmin' '200 0' "$(status -L -c /tmp/jar -b /tmp/jar "$url") $(grep -c 'name="pma_password"' /tmp/page)"
is 'phpMyAdmin is signed in' yes "$(grep -q 'panel_web_' /tmp/page && echo yes)"
is 'a second time it does not' '403 1' "$(status "$url") $(grep -c 'has been used' /tmp/page)"
quietly ask -b /tmp/jar -c /tmp/jar -o /tmp/page "$pma/index.php?route=/"
token=$(grep -o 'token:"[0-9a-f]*"' /tmp/page | head -1 | cut -d'"' -f2)
databases() { ask -b /tmp/jar -c /tmp/jar "$pma/index.php?route=/server/databases" | grep -o 'pia[a-z]*_shop' | sort -u | xargs; }
is 'only its own databases are listed' pia_shop "$(databases)"
query() { ask -b /tmp/jar -c /tmp/jar "$pma/index.php?route=/sql" --data-urlencode "token=$token" --data-urlencode "db=pia_shop" --data-urlencode "sql_query=$1" -d ajax_request=true; }
is 'SQL works there' 1 "$(query 'SELECT name FROM pia_shop.birds' | grep -c sandpiper)"
query 'CREATE VIEW pia_shop.seen AS SELECT name FROM pia_shop.birds' > /dev/null
is 'a neighbour is refused' 1 "$(query 'SELECT * FROM piaxshop_shop.x' | grep -ci 'denied')"
is 'there is no other way in' 403 "$(status -L -c /tmp/none -b /tmp/none "$pma/")"
is 'and nothing that its package has besides' '404 404 404 404' "$(for path in setup/ libraries/ sql/create_tables.sql open.php; do status "$pma/$path"; done | sed 's/.../& /g; s/ $//')"

# -- Webmail
webmail=https://webmail.host.example
printf 'Subject: A sandpiper was seen\n\nOn the beach.\n' | sendmail info@pia.example
printf 'Subject: Not for info\n\nx\n' | sendmail other@pia.example
eventually bash -c 'ls /home/pia/mail/pia.example/info/Maildir/new/* /home/pia/mail/pia.example/other/Maildir/new/*'
url=$(link email webmail info@pia.example)
is 'HEAD does not open webmail' 405 "$(status -I "$url")"
is 'it opens webmail' 200 "$(status -L -c /tmp/box -b /tmp/box "$url")"
messages() { ask -b /tmp/box -c /tmp/box -H 'X-Requested-With: XMLHttpRequest' "$webmail/?_task=mail&_action=list&_mbox=INBOX&_remote=1"; }
messages > /tmp/messages
is 'it shows the messages of the mailbox, and of no other' '1 0' "$(grep -c 'A sandpiper was seen' /tmp/messages) $(grep -c 'Not for info' /tmp/messages)"
quietly ask -L -c /tmp/box -b /tmp/box -o /tmp/page "$webmail/?_task=mail&_action=compose"
field() { grep -o "$1" /tmp/page | head -1 | cut -d'"' -f"$2"; }
form="_token=$(field '"request_token":"[^"]*"' 4)&_id=$(field 'name="_id" value="[^"]*"' 4)&_from=$(field 'value="[0-9]*"[^>]*>info@pia' 2)"
ask -b /tmp/box -c /tmp/box -o /tmp/page "$webmail/?_task=mail&_framed=1" -d "$form&_task=mail&_action=send&_to=other@pia.example&_subject=Sent+by+webmail&_message=x"
is 'it sends' yes "$(eventually grep -rq 'Subject: Sent by webmail' /home/pia/mail/pia.example/other/Maildir/new && echo yes)"
is 'a second time it does not' '403 1' "$(status "$url") $(grep -c 'has been used' /tmp/page)"
friend=canary-Dunlin-1617
keep() { runuser -u panel-webmail -- php -r '$d = new PDO("sqlite:/var/lib/panel-webmail/data/roundcube.db"); $d->exec($argv[1]);' -- "$1"; }
keep "INSERT INTO contacts (user_id, name, email, words) SELECT user_id, '$friend', 'x@out.example', '' FROM users WHERE username = 'info@pia.example'"
keep "UPDATE identities SET signature = '$friend' WHERE email = 'info@pia.example'"
friends() { ask -b /tmp/box -c /tmp/box -H 'X-Requested-With: XMLHttpRequest' "$webmail/?_task=addressbook&_action=list&_source=0&_remote=1" | grep -c "$friend"; }
is 'it has an address book' 1 "$(friends)"
rctoken=$(ask -c /tmp/form -b /tmp/form "$webmail/" | grep -o 'name="_token" value="[^"]*"' | cut -d'"' -f4)
is 'its own form takes the password of a mailbox' 302 "$(status -c /tmp/form -b /tmp/form "$webmail/?_task=login" -d "_token=$rctoken&_task=login&_action=login&_user=other@pia.example" --data-urlencode "_pass=$password")"
is 'its installer and what it logs are not served' '404 404 404' "$(for path in installer/ logs/errors.log config/config.inc.php; do status "$webmail/$path"; done | sed 's/.../& /g; s/ $//')"
is 'no token is in a log' 0 "$(grep -rl 'open?token' /var/log/nginx 2> /dev/null | wc -l)"
quietly bash -c "printf %s ${password}2 | panel email set-password info@pia.example --password-stdin"
jobs_end
messages > /tmp/messages
is 'another password of the mailbox ends the session' 0 "$(grep -c 'A sandpiper was seen' /tmp/messages)"
is 'its address book too' 0 "$(friends)"
quietly status -L -c /tmp/box -b /tmp/box "$(link email webmail info@pia.example)"
is 'which the next session has again' 1 "$(friends)"

# -- suspended
early=$(link mysql phpmyadmin -a pia)
box=$(link email webmail other@pia.example)
quietly panel accounts suspend pia --reason unpaid
jobs_end
is 'suspended: links from before are refused' '403 403' "$(status "$early") $(status "$box")"
is 'suspended: no log-in of either is left' '0 0' "$(mariadb -BNe "SELECT COUNT(*) FROM mysql.global_priv WHERE User LIKE 'panel\\_web\\_%' AND JSON_VALUE(Priv, '$.account_locked') IS NOT TRUE") $(grep -c pia.example /etc/panel/mail/webmail)"
is 'suspended: the session in phpMyAdmin has ended' '' "$(databases)"
is 'suspended: so has the one in webmail' 0 "$(friends)"
is 'a view that was made there works on' sandpiper "$(mariadb -BNe 'SELECT name FROM pia_shop.seen')"
refused 'suspended: there is no new link' panel mysql phpmyadmin -a pia
quietly panel accounts unsuspend pia
quietly panel accounts terminate pia --yes --confirm pia
job account.terminate
is 'terminated: no user is left' 0 "$(mariadb -BNe "SELECT COUNT(*) FROM mysql.global_priv WHERE User LIKE 'panel\\_web\\_%'")"

# -- Another account has the domain and the mailbox next
account pim
rm -f /tmp/box
quietly panel domains create pia.example -a pim
quietly bash -c "printf %s $password | panel email create info@pia.example --password-stdin"
jobs_end
is 'it opens webmail' 200 "$(status -L -c /tmp/box -b /tmp/box "$(link email webmail info@pia.example)")"
is 'and finds no contact, no signature' '0 0' "$(friends) $(grep -c "$friend" <(ask -b /tmp/box -c /tmp/box "$webmail/?_task=settings&_action=edit-identity&_iid=1&_framed=1"))"
