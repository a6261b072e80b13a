# Changes of many accounts at once share the reloads of nginx: what arrives during a reload shares the next one, which
# begins at once.
. "$(dirname "$0")/../lib.sh"
# nginx is told by a signal, which it notes in a log of this proof's own.
log=/var/log/nginx/proof-notices.log
extra=/etc/nginx/modules-enabled/99-proof.conf
echo "error_log $log notice;" > $extra
systemctl reload nginx
reloads() { grep -c '(SIGHUP) received' $log; }
# How many arrive during a reload depends on the machine, so the first one lasts until eight changes are there, which is as
# many as run at once. Workers that are stopped do not shut down, and then the panel asks systemd, which waits as well.
blocker=/run/proof-reload-blocked
mkdir -p /run/systemd/system/nginx.service.d
echo "[Service]
ExecReload=-/usr/bin/timeout 45 /bin/sh -c 'while [ -e $blocker ]; do sleep 0.1; done'" > /run/systemd/system/nginx.service.d/proof.conf
systemctl daemon-reload
workers() { pkill "-$1" -P "$(cat /run/nginx.pid)"; }
block_reload() { touch $blocker; workers STOP; }
sites() { ls /etc/panel/nginx/sites | grep -c '^rel[a-l]\.example'; }
end_reload() { # end_reload CONDITION SITES
  for _ in $(seq 400); do [ "$(sites)" "$1" "$2" ] && break; sleep 0.1; done
  sleep 3
  workers CONT
  rm $blocker
}
names=$(printf 'rel%s ' a b c d e f g h i j k l)
token=$(panel tokens create proof-40 --scopes full-access -o json | grep -o 'pnl_[A-Za-z0-9]*' | head -1)
# Requests that arrive together: each line of standard input has the words of one.
requests() { xargs -P 12 -L 1 curl -sk -o /dev/null -w '%{response_code}\n' -H "Authorization: Bearer $token" -H 'Content-Type: application/json'; }
api=https://127.0.0.1:7711/api/v1/accounts
jobs_end
eventually test -s $log
# What one account takes when nothing else happens.
before=$(reloads)
quietly panel accounts create relz --domain relz.example
jobs_end
one_created=$(($(reloads) - before))
quietly panel accounts delete relz --yes
jobs_end
one_ended=$(($(reloads) - before - one_created))
before=$(reloads)
block_reload
answers=$(for name in $names; do echo "$api -d '{\"username\":\"$name\",\"domain\":\"$name.example\"}'"; done | requests | sort | uniq -c | xargs)
end_reload -ge 8
jobs_end
created=$(($(reloads) - before))
is 'twelve accounts are created at once' '12 202' "$answers"
is 'and served' 12 "$(for name in $names; do code $name.example; echo; done | grep -c 200)"
before=$(reloads)
block_reload
ids=$(panel accounts list --columns id,username --no-headers | grep -P '\trel[a-l]$')
answers=$(while read -r id name; do echo "-X DELETE $api/$id?confirm=$name"; done <<< "$ids" | requests | sort | uniq -c | xargs)
end_reload -le 4
jobs_end
ended=$(($(reloads) - before))
is 'twelve are terminated at once' '12 202' "$answers"
alone=$((12 * (one_created + one_ended)))
is 'nginx is reloaded less often than for one after the other' yes "$([ $((created + ended)) -lt $alone ] && echo yes || echo "$created + $ended of $alone")"
echo "# reloads of nginx: $created and $ended; of one account $one_created and $one_ended"
rm -r $extra $log /run/systemd/system/nginx.service.d
systemctl daemon-reload
systemctl reload nginx
