# FTP, FTPS and SFTP reach the home alone, and end with a password or a suspension.
. "$(dirname "$0")/../lib.sh"
password=canary-Sandpiper-6631
login() { quietly bash -c "printf %s '$password' | panel ftp create $1 --password-stdin ${*:2}"; }
ftp() { curl -s --max-time 20 -u "$1:$password" "ftp://127.0.0.1/$2" "${@:3}"; }
ftps() { ftp "$1" "$2" --ssl-reqd --insecure "${@:3}"; }
sftp() { curl -s --max-time 20 --insecure -u "$1:$password" "sftp://127.0.0.1:2222/$2" "${@:3}"; }
works() { "$@" > /dev/null 2>&1 && echo yes || echo no; }
site=/home/fay/sites/fay.example/public

account fay
account fox
# Sessions that last, which the panel lists within a minute. The list names no more than 31 characters of a login.
long=deploy-from-the-build-server@fox.example
login $long
login all@fox.example --directory /
open() { # open LOGIN FILE: a session that lasts
  { printf 'USER %s\r\nPASS %s\r\n' "$1" "$password"; sleep 170; } | timeout 170 curl -sN telnet://127.0.0.1:21 > "$2" &
}
head -c 9000000 /dev/zero | put fox big
slow=(--max-time 170 --limit-rate 20k -o /dev/null)
open $long /tmp/open-long; first=$!
ftps all@fox.example sites/fox.example/public/big "${slow[@]}" & second=$!
sftp all@fox.example sites/fox.example/public/big "${slow[@]}" & third=$!

login web@fay.example
login all@fay.example --directory /
echo uploaded > /tmp/up
is 'FTP uploads' yes "$(works ftp web@fay.example a.txt -T /tmp/up)"
is "the file is its owner's, and served" 'fay uploaded' "$(stat -c %U $site/a.txt) $(page fay.example a.txt)"
is 'FTPS uploads' 'yes uploaded' "$(works ftps web@fay.example b.txt -T /tmp/up) $(page fay.example b.txt)"
is 'SFTP uploads' 'yes uploaded' "$(works sftp all@fay.example sites/fay.example/public/c.txt -T /tmp/up) $(page fay.example c.txt)"
is 'a wrong password is refused' 'no no' "$(password=x works ftp web@fay.example '') $(password=x works sftp web@fay.example '')"
is 'the system name has no password' 'no no' "$(works ftp fay '') $(works sftp fay '')"

is 'FTP sees its directory for the root' 'a.txt b.txt c.txt' "$(ftp web@fay.example '' --list-only | tr -d '\r' | sort | xargs)"
is 'FTP gets no further' 'no no' "$(works ftp web@fay.example '../../../apps/' --path-as-is -X LIST --fail) $(works ftp web@fay.example '%2Fetc/passwd')"
is 'SFTP sees the home for the root' yes "$(works sftp web@fay.example 'sites/')"
is 'SFTP gets no further' 'no no' "$(works sftp web@fay.example 'etc/passwd') $(works sftp web@fay.example '../fox/' --path-as-is)"
runuser -u fay -- ln -s / $site/root
is 'no link leads out' 'no no' "$(works ftp web@fay.example root/etc/passwd) $(works sftp web@fay.example sites/fay.example/public/root/etc/passwd)"
runuser -u fay -- mv $site $site.away
runuser -u fay -- ln -s / $site
is 'a directory that became a link opens nothing' 'no no' "$(works ftp web@fay.example etc/passwd) $(works sftp web@fay.example etc/passwd)"
runuser -u fay -- rm $site
runuser -u fay -- mv $site.away $site
printf '#!/bin/sh\necho %s\n' "$password" > /root/askpass; chmod 700 /root/askpass
by() { env SSH_ASKPASS=/root/askpass SSH_ASKPASS_REQUIRE=force "$1" -q -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o User=web@fay.example "${@:2}" < /dev/null; }
is 'SFTP runs no command' 'yes no' "$(works by sftp -P 2222 127.0.0.1:/sites/fay.example/public/a.txt /tmp/got) $(works by ssh -p 2222 127.0.0.1 id)"

open web@fay.example /tmp/open; session=$!
eventually grep -q '^230' /tmp/open
is 'a session is open' 1 "$(ftpwho | grep -c web@fay.example)"
login other@fay.example
is 'another login ends no session' 1 "$(ftpwho | grep -c web@fay.example)"
quietly bash -c "printf %s canary-Plover-8842 | panel ftp set-password web@fay.example --password-stdin"
is 'with its password its session ends' yes "$(eventually bash -c '! ftpwho | grep -q web@fay.example' && echo yes)"
kill $session 2> /dev/null
is 'the old password is refused, the new one works' 'no yes' "$(works ftp web@fay.example '') $(password=canary-Plover-8842 works ftp web@fay.example '')"

sessions() { panel ftp sessions -a "$1" -o json | grep -o '"\(login\|address\|protocol\)": *"[^"]*"' | cut -d'"' -f4 | paste -d' ' - - - | sort | xargs; }
wanted="all@fox.example 127.0.0.1 ftps all@fox.example 127.0.0.1 sftp $long 127.0.0.1 ftp"
for _ in $(seq 90); do [ "$(sessions fox)" != "$wanted" ] || break; sleep 1; done
is 'within a minute sessions are listed' "$wanted" "$(sessions fox)"
is 'to their own account alone' 0 "$(sessions fay | grep -c fox.example)"
of_long=$(ftpwho | awk '/deploy-from-the-build/ {print $1}')
quietly bash -c "printf %s canary-Plover-8842 | panel ftp set-password $long --password-stdin"
is 'one with a long name ends with its password' yes "$(eventually bash -c '! ftpwho | grep -q deploy-from' && [ ! -e "/proc/${of_long:-self}" ] && echo yes)"
is 'and no other' 2 "$(ftpwho | grep -c all@fox.example)"
kill $first $second $third 2> /dev/null

open all@fay.example /tmp/open-later
session=$!
eventually grep -q '^230' /tmp/open-later
quietly panel accounts suspend fay --reason unpaid
is 'suspended: its session ends' yes "$(eventually bash -c '! ftpwho | grep -q all@fay.example' && echo yes)"
kill $session 2> /dev/null
is 'suspended: no log-in' 'no no no' "$(works ftp all@fay.example '') $(works ftps all@fay.example '') $(works sftp all@fay.example '')"
quietly panel accounts unsuspend fay
is 'unsuspended: it opens again' 'yes yes yes' "$(works ftp all@fay.example '') $(works ftps all@fay.example '') $(works sftp all@fay.example '')"

is 'nothing differs' '' "$(panel host diff --account fay)"
# An account that another proof makes meanwhile mends the list.
is_shown() { sed -i '/fay.example/d' /etc/panel/ftp/passwd; panel host diff --account fay | grep -q 'the logins of fay'; }
is 'a changed list is shown' yes "$(eventually is_shown && echo yes)"
quietly panel host apply --account fay
is 'and mended' yes "$(works ftp all@fay.example '')"
is 'nor can it lock what log-ins lock' '' "$(for file in $(readlink /proc/"$(cat /run/proftpd.pid)"/fd/* | grep '^/run/' | sort -u); do ! runuser -u fay -- test -r "$file" || echo "$file"; done)"
is 'a tenant reads no list of logins' no "$(runuser -u fay -- cat /etc/panel/ftp/passwd > /dev/null 2>&1 && echo yes || echo no)"
# Guessing. The machine's own address cannot be banned, which all its programs share; its tenants' are limited by user.
outside=$(hostname -I | cut -d' ' -f1)
# guess USER HOST COUNT: how many guesses are answered
guess() { for n in $(seq "$3"); do runuser -u "$1" -- curl -s --max-time 10 -o /dev/null -w '%{http_code}\n' -u "web@fay.example:wrong$n" "ftp://$2/"; done | grep -c 530; }
is 'a tenant guesses no further' yes "$([ "$(guess fox 127.0.0.1 60)" -le 30 ] && echo yes)"
is 'and its neighbours and the panel get in' 'yes yes' "$(works runuser -u fay -- curl -s --max-time 10 -u "all@fay.example:$password" ftp://127.0.0.1/) $(works ftp all@fay.example '')"
is 'from its own machine alone' 7 "$(runuser -u fox -- curl -s --interface 127.0.0.9 ftp://127.0.0.1/; echo $?)"
is 'an address that guesses is banned' yes "$([ "$(guess root "$outside" 60)" -le 30 ] && echo yes)"
is 'and gets in no more' no "$(works curl -s --max-time 10 -u "all@fay.example:$password" "ftp://$outside/")"
is 'nor by SFTP, once it guesses there' no "$(for n in $(seq 40); do curl -s --insecure --max-time 10 -u "all@fay.example:wrong$n" "sftp://$outside:2222/"; done; works curl -s --insecure --max-time 10 -u "all@fay.example:$password" "sftp://$outside:2222/")"
is 'this machine may guess there' yes "$(for n in $(seq 40); do curl -s --insecure --max-time 10 -u "all@fay.example:wrong$n" sftp://127.0.0.1:2222/; done; works sftp all@fay.example '')"
is 'others are not banned' 'yes yes' "$(works ftp all@fay.example '') $(works sftp all@fay.example '')"
is 'the ban is lifted with its table' yes "$(systemctl stop proftpd; rm /run/panel-ftp/bans; systemctl start proftpd; works curl -s --max-time 10 -u "all@fay.example:$password" "ftp://$outside/")"

open all@fay.example /tmp/open-last
session=$!
eventually grep -q '^230' /tmp/open-last
quietly panel accounts terminate fay --yes --confirm fay
job account.terminate
is 'terminated: its session takes itself off the list' 0 "$(ftpwho | grep -c fay.example)"
kill $session 2> /dev/null
is 'terminated: no login' '' "$(grep -s fay /etc/panel/ftp/passwd /etc/panel/ftp/sftp-passwd)"
