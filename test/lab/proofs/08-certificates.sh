# Certificates from an ACME server (pebble, on loopback): by a file through nginx, for a wildcard by BIND; a failure keeps
# what is there. The server's own name has one too, which each service shows, and nginx serves the panel there.
. "$(dirname "$0")/../lib.sh"
address=$(hostname -I | cut -d' ' -f1)
work=$(mktemp -d)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout "$work/ca.key" -out "$work/ca.crt" 2> /dev/null
# An authority whose certificates last so many seconds, and which asks BIND for names: authority SECONDS
authority() {
  [ -z "${pid:-}" ] || { kill "$pid"; wait "$pid" 2> /dev/null; }
  cat > "$work/pebble.json" << END
{ "pebble": { "listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000",
  "certificate": "$work/ca.crt", "privateKey": "$work/ca.key", "httpPort": 80, "tlsPort": 443,
  "ocspResponderURL": "", "externalAccountBindingRequired": false,
  "certificateValidityPeriod": $1,
  "profiles": { "default": { "description": "the only one", "validityPeriod": $1 } } } }
END
  PEBBLE_VA_NOSLEEP=1 PEBBLE_AUTHZREUSE=0 pebble -config "$work/pebble.json" -dnsserver 127.0.0.1:53 > "$work/said" 2>&1 &
  pid=$!
  eventually curl -sk https://localhost:14000/dir || { echo "FAILED pebble: $(tail -1 "$work/said")"; failed=1; }
}
end() {
  panel settings update --acme-directory-url none --acme-ca none > /dev/null
  kill "$pid" 2> /dev/null
  rm -rf "$work"
  exit $failed
}
trap end EXIT

# What a service shows: shown PORT NAME [STARTTLS]
shown() { openssl s_client -connect "127.0.0.1:$1" -servername "$2" ${3:+-starttls "$3"} < /dev/null 2> /dev/null | openssl x509 -noout "${@:4}" 2> /dev/null; }
site() { shown 443 "$1" '' "${@:2}"; }
issued_by_pebble() { site "$1" -issuer | grep -q Pebble; }
covered() { site "$1" -ext subjectAltName | grep -o 'DNS:[^,]*' | sort | xargs; }

authority 7776000
# The world knows the server's names, as the administrator has put them in a zone.
cat > /etc/bind/host.example.zone << END
\$TTL 60
@ IN SOA host.example. root.host.example. 1 3600 900 1209600 60
@ IN NS host.example.
@ IN A $address
webmail IN A $address
phpmyadmin IN A 192.0.2.77
END
echo 'zone "host.example" { type primary; file "/etc/bind/host.example.zone"; };' >> /etc/bind/named.conf.local
quietly rndc reconfig
quietly panel settings update --no-autossl-default --acme-directory-url https://localhost:14000/dir --acme-ca "$(cat "$work/ca.crt")"
key() { shown 7711 host.example '' -pubkey | sha256sum; }
pin=$(key)
quietly panel host setup --yes --front
is 'setup prints the record that is missing' "  phpmyadmin.host.example. A $address" "$(grep '^  .*\. A ' $said)"
is 'status says which names resolve here' 'true true false' "$(panel host status --select 'names[].resolves_here' -o json | grep -o 'true\|false' | xargs)"

account eve
is 'at first a site shows a certificate of its own' 0 "$(site eve.example -issuer | grep -c Pebble)"
quietly panel ssl issue eve.example
job ssl.issue
is 'a file below the site proves its names, and nginx shows the certificate' 'DNS:autoconfig.eve.example DNS:autodiscover.eve.example DNS:eve.example DNS:mail.eve.example DNS:www.eve.example yes' \
  "$(covered eve.example) $(issued_by_pebble eve.example && echo yes)"
# The server's own names may be in an order meanwhile.
answered() { [ -z "$(ls /var/lib/panel-host/acme/.well-known/acme-challenge)" ]; }
is 'no answer to the authority is left' yes "$(eventually answered && echo yes)"
before=$(site eve.example -fingerprint)
refused 'what cannot be proven is not issued' panel ssl issue eve.example --names eve.example,none.eve.example
is 'the job says why' yes "$(grep -q 'none.eve.example could not be validated: ' $said && echo yes)"
is 'and the certificate stays' "$before" "$(site eve.example -fingerprint)"

quietly panel domains create '*.eve.example' --account eve
jobs_end
quietly panel ssl issue '*.eve.example'
job ssl.issue
is 'a record that BIND answers proves a wildcard, and any name below shows it' 'DNS:*.eve.example yes' \
  "$(covered some.eve.example) $(issued_by_pebble some.eve.example && echo yes)"
is 'no record of it is left' '' "$(dig +short @127.0.0.1 _acme-challenge.eve.example TXT)"

for _ in $(seq 100); do [ "$(covered host.example)" = 'DNS:host.example DNS:webmail.host.example' ] && break; sleep 1; done
jobs_end
wanted="$(openssl x509 -noout -fingerprint -in /etc/panel/tls/_server.crt)"
is 'the names of the server that resolve here have one certificate' 'DNS:host.example DNS:webmail.host.example' "$(covered host.example)"
is 'its key is the one that contexts have pinned' "$pin" "$(key)"
is 'status says whose it is' acme "$(panel host status --select certificate.kind)"
is 'the authority has issued it' yes "$(issued_by_pebble host.example && echo yes)"
for one in 'panel 7711' 'nginx 443' 'submission 587 smtp' 'mail 25 smtp' 'submissions 465' 'IMAP 993' 'IMAP 143 imap' 'POP3 995' 'FTP 21 ftp'; do
  read -r name port starttls <<< "$one"
  eventually bash -c "[ \"\$(openssl s_client -connect 127.0.0.1:$port -servername host.example ${starttls:+-starttls $starttls} < /dev/null 2> /dev/null | openssl x509 -noout -fingerprint)\" = '$wanted' ]"
  is "$name shows it on port $port" "$wanted" "$(shown "$port" host.example "$starttls" -fingerprint)"
done

front() { curl -s -o /dev/null -w '%{http_code}' --cacert /tmp/root --resolve host.example:443:127.0.0.1 "https://host.example/$1" "${@:2}"; }
curl -sk https://localhost:15000/roots/0 > /tmp/root
is 'nginx serves the panel at the name of the server' '200 401' "$(front healthz) $(front api/v1/accounts)"
is 'and sends there who comes without TLS' 'https://host.example/x' "$(curl -s -o /dev/null -w '%{redirect_url}' --resolve host.example:80:127.0.0.1 http://host.example/x)"
token() { panel tokens create one --scopes full-access --allowed-ips "$1" -o json | grep -o 'pnl_[A-Za-z0-9]*' | head -1; }
ours=$(token 127.0.0.1)
other=$(token 203.0.113.9)
is 'the caller is whom nginx sees, whatever it says of itself' '200 403' \
  "$(front api/v1/token -H "Authorization: Bearer $ours" -H 'X-Forwarded-For: 203.0.113.9') $(front api/v1/token -H "Authorization: Bearer $other" -H 'X-Forwarded-For: 203.0.113.9')"
is 'its socket is for nginx alone' 'panel:www-data 660 no' \
  "$(stat -c '%U:%G %a' /run/panel-front/panel.sock) $(runuser -u eve -- curl -s --unix-socket /run/panel-front/panel.sock http://x/healthz > /dev/null && echo yes || echo no)"

# Certificates of half a minute: in the last third of it they are renewed.
authority 30
quietly panel ssl set-auto eve.example true
quietly panel ssl issue eve.example
job ssl.issue
before=$(site eve.example -serial)
for _ in $(seq 130); do [ "$(site eve.example -serial)" = "$before" ] || break; sleep 1; done
is 'a certificate is renewed before it ends' 'yes yes' \
  "$([ "$(site eve.example -serial)" != "$before" ] && echo yes) $(issued_by_pebble eve.example && echo yes)"
kill "$pid"
jobs_end
before=$(site eve.example -serial)
refused 'without the authority none is issued' panel ssl issue eve.example
is 'and the last one stays' "$before" "$(site eve.example -serial)"
quietly panel accounts terminate eve --yes --confirm eve
job account.terminate
sed -i '/^zone "host.example"/d' /etc/bind/named.conf.local
rm /etc/bind/host.example.zone
quietly rndc reconfig
quietly panel host setup --yes
