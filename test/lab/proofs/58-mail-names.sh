# Names of domains for mail: each service shows the certificate of the name that a client asks for, without ending sessions
# when it is renewed, and mail programs find their settings. The certificates come from pebble.
. "$(dirname "$0")/../lib.sh"
address=$(hostname -I | cut -d' ' -f1)
work=$(mktemp -d)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout "$work/ca.key" -out "$work/ca.crt" 2> /dev/null
cat > "$work/pebble.json" << END
{ "pebble": { "listenAddress": "127.0.0.1:14010", "managementListenAddress": "127.0.0.1:15010",
  "certificate": "$work/ca.crt", "privateKey": "$work/ca.key", "httpPort": 80, "tlsPort": 443,
  "ocspResponderURL": "", "externalAccountBindingRequired": false, "certificateValidityPeriod": 7776000,
  "profiles": { "default": { "description": "the only one", "validityPeriod": 7776000 } } } }
END
PEBBLE_VA_NOSLEEP=1 PEBBLE_AUTHZREUSE=0 pebble -config "$work/pebble.json" -dnsserver 127.0.0.1:53 > "$work/said" 2>&1 & pid=$!
eventually curl -sk https://localhost:14010/dir || { echo "FAILED pebble: $(tail -1 "$work/said")"; failed=1; }
end() {
  panel settings update --acme-directory-url none --acme-ca none > /dev/null
  kill "$pid" 2> /dev/null
  rm -rf "$work" "$said" "$mail"
  exit $failed
}
trap end EXIT
quietly panel settings update --no-autossl-default --acme-directory-url https://localhost:14010/dir --acme-ca "$(cat "$work/ca.crt")"
curl -sk https://localhost:15010/roots/0 > "$work/root"
for user in nma nmb; do
  account $user
  quietly bash -c "printf canary-Plover-$user | panel email create info@$user.example --password-stdin"
  quietly panel ssl issue $user.example
  job ssl.issue
done

# shown PORT NAME [STARTTLS]: the names of the certificate that a service shows
shown() {
  openssl s_client -connect "127.0.0.1:$1" -servername "$2" ${3:+-starttls "$3"} < /dev/null 2> /dev/null |
    openssl x509 -noout -ext subjectAltName 2> /dev/null | grep -o 'DNS:[^,]*' | sort | xargs
}
of() { echo "DNS:autoconfig.$1 DNS:autodiscover.$1 DNS:mail.$1 DNS:$1 DNS:www.$1"; }
for one in '993' '143 imap' '995' '110 pop3' '465' '587 smtp' '25 smtp'; do
  read -r port starttls <<< "$one"
  for user in nma nmb; do
    shows() { [ "$(shown "$port" mail.$user.example "$starttls")" = "$(of $user.example)" ]; }
    eventually shows
    is "port $port shows $user its certificate" "$(of $user.example)" "$(shown "$port" mail.$user.example "$starttls")"
  done
  is "and who asks for another name that of the server" DNS:host.example "$(shown "$port" mail.else.example "$starttls" | grep -o 'DNS:host.example')"
done
is 'clients can verify it' 'Verification: OK' \
  "$(openssl s_client -connect 127.0.0.1:993 -servername mail.nma.example -verify_hostname mail.nma.example -CAfile "$work/root" < /dev/null 2> /dev/null | grep '^Verification')"
is 'only root can read the keys' '600 600 600' "$(stat -c %a /etc/panel/mail/maps/names.lmdb /etc/panel/mail/maps/names /etc/panel/mail/dovecot-names.conf | xargs)"

# A session that waits while the certificate is renewed.
coproc idle { openssl s_client -quiet -connect 127.0.0.1:993 -servername mail.nma.example 2> /dev/null; }
exec {heard}<&"${idle[0]}" {spoken}>&"${idle[1]}"
printf 'a login info@nma.example canary-Plover-nma\r\nb select INBOX\r\nc idle\r\n' >&$spoken
until read -r line <&$heard && [[ $line == +* ]]; do :; done
serial() { openssl s_client -connect 127.0.0.1:993 -servername mail.nma.example < /dev/null 2> /dev/null | openssl x509 -noout -serial; }
before=$(serial)
quietly panel ssl issue nma.example
job ssl.issue
renewed() { [ "$(serial)" != "$before" ]; }
is 'a new certificate is shown' yes "$(eventually renewed && echo yes)"
printf 'To: info@nma.example\nSubject: arrives\n\nx\n' | runuser -u nma -- /usr/sbin/sendmail -i -f info@nma.example info@nma.example
is 'a session that waits meanwhile goes on' '* 1 EXISTS' "$(timeout 30 sed -u '/EXISTS/q' <&$heard | tr -d '\r' | tail -1)"
printf 'done\r\nd logout\r\n' >&$spoken
wait "$idle_PID"

# As Thunderbird and Outlook ask.
ask() { curl -s --cacert "$work/root" --resolve "$1:443:127.0.0.1" --resolve "$1:80:127.0.0.1" "${@:2}"; }
config=https://autoconfig.nma.example/mail/config-v1.1.xml
ask autoconfig.nma.example "$config?emailaddress=info%40nma.example" > "$work/one"
ask autoconfig.nma.example "$config?emailaddress=nobody%40nma.example" > "$work/two"
is 'Thunderbird is told of the domain'"'"'s own mail server' 'mail.nma.example 993 SSL %EMAILADDRESS%' \
  "$(python3 -c "
import sys, xml.etree.ElementTree as t
s = t.parse('$work/one').find('emailProvider/incomingServer')
print(s.find('hostname').text, s.find('port').text, s.find('socketType').text, s.find('username').text)")"
is 'whether or not the mailbox exists' yes "$(cmp "$work/one" "$work/two" && echo yes)"
is 'at the domain itself, too' yes "$(ask nma.example -k https://nma.example/.well-known/autoconfig/mail/config-v1.1.xml | cmp - "$work/one" && echo yes)"
post() { # post DOMAIN BODY [PATH]
  ask "autodiscover.$1" -X POST -H 'Content-Type: text/xml' --data-binary "$2" "https://autodiscover.$1/${3:-autodiscover/autodiscover.xml}" "${@:4}"
}
request() { # request SCHEMA ADDRESS
  echo "<?xml version=\"1.0\" encoding=\"utf-8\"?><Autodiscover xmlns=\"http://schemas.microsoft.com/exchange/autodiscover/$1/requestschema/2006${3:-}\"><Request><EMailAddress>$2</EMailAddress><AcceptableResponseSchema>http://schemas.microsoft.com/exchange/autodiscover/$1/responseschema/2006${3:-}</AcceptableResponseSchema></Request></Autodiscover>"
}
outlook() { python3 -c "
import sys, xml.etree.ElementTree as t
n = {'a': 'http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a'}
print(*(p.findtext('a:Type', namespaces=n) + ' ' + p.findtext('a:Server', namespaces=n) + ' ' + p.findtext('a:Port', namespaces=n) + ' ' + p.findtext('a:LoginName', namespaces=n) for p in t.parse(sys.stdin).findall('.//a:Protocol', n)), sep=', ')"; }
wanted() { echo "IMAP mail.nma.example 993 $1, POP3 mail.nma.example 995 $1, SMTP mail.nma.example 465 $1"; }
is 'Outlook is told the same' "$(wanted info@nma.example)" "$(post nma.example "$(request outlook info@nma.example a)" | outlook)"
is 'for a mailbox that does not exist, at a path in another case' "$(wanted nobody@nma.example)" "$(post nma.example "$(request outlook nobody@nma.example a)" AutoDiscover/AutoDiscover.XML | outlook)"
is 'its newer question is answered with where to ask' '{"Protocol":"AutodiscoverV1","Url":"https://autodiscover.nma.example/autodiscover/autodiscover.xml"}' \
  "$(ask autodiscover.nma.example 'https://autodiscover.nma.example/autodiscover/autodiscover.json?Email=info%40nma.example&Protocol=AutodiscoverV1')"
is 'ActiveSync is refused by its own error' 601 "$(post nma.example "$(request mobilesync info@nma.example)" | grep -o '[0-9]*</ErrorCode>' | cut -d'<' -f1)"
# Hostile questions.
code_of() { post nma.example "$1" autodiscover/autodiscover.xml -o /dev/null -w '%{http_code}'; }
is 'a document type is refused' 400 "$(code_of '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><EMailAddress>&x;</EMailAddress></a>')"
is 'and what is longer than 8 KiB' 413 "$(head -c 8193 /dev/zero | tr '\0' a > "$work/long"; code_of "@$work/long")"
is 'what is no address is not repeated' 0 "$(post nma.example "$(request outlook $'x\r\nX-Panel-Host: evil.example@nma.example' a)" | grep -c 'evil\|LoginName')"
is 'a header of the client changes nothing' mail.nma.example "$(ask autoconfig.nma.example "$config" -H 'X-Panel-Host: evil.example' | grep -o '<hostname>[^<]*' | sort -u | cut -d'>' -f2)"
is 'nginx knows no other name' 000 "$(curl -sk -o /dev/null -w '%{http_code}' --resolve autoconfig.evil.example:443:127.0.0.1 https://autoconfig.evil.example/mail/config-v1.1.xml)"
is 'the other pages of these names are none' '404 404 404' "$(for name in mail autoconfig autodiscover; do ask $name.nma.example -o /dev/null -w '%{http_code}\n' https://$name.nma.example/; done | xargs)"

# A file of the site comes first.
install -d -o nma -g nma /home/nma/sites/nma.example/public/.well-known/autoconfig/mail
echo own | install -o nma -g nma -m 0644 /dev/stdin /home/nma/sites/nma.example/public/.well-known/autoconfig/mail/config-v1.1.xml
is 'a file of the site comes first' own "$(ask nma.example -k https://nma.example/.well-known/autoconfig/mail/config-v1.1.xml)"

# Mail that is elsewhere.
quietly panel email set-routing nmb.example remote
jobs_end
is 'a domain whose mail is elsewhere is not found' '404 404 404' "$(ask autoconfig.nmb.example -o /dev/null -w '%{http_code} ' https://autoconfig.nmb.example/mail/config-v1.1.xml
  post nmb.example "$(request outlook info@nmb.example a)" autodiscover/autodiscover.xml -o /dev/null -w '%{http_code} '
  ask nmb.example -k -o /dev/null -w '%{http_code}' https://nmb.example/.well-known/autoconfig/mail/config-v1.1.xml)"

# A subdomain of that name.
quietly panel domains create autoconfig.nma.example -a nma --handler static
jobs_end
echo mine | install -o nma -g nma -m 0644 /dev/stdin /home/nma/sites/autoconfig.nma.example/public/index.html
is 'a subdomain of that name comes first' mine "$(ask autoconfig.nma.example http://autoconfig.nma.example/)"
quietly panel domains delete autoconfig.nma.example -a nma --yes
jobs_end
is 'and gives it back' 404 "$(ask autoconfig.nma.example -o /dev/null -w '%{http_code}' http://autoconfig.nma.example/)"

# More than an address may ask.
ask autoconfig.nma.example -o /dev/null -w '%{http_code}\n' "$config?emailaddress=a[1-1000]@nma.example" | sort | uniq -c > "$work/many"
answered=$(awk '$2 == 200 { print $1 }' "$work/many")
is 'of a thousand questions at once about sixty are answered, and the rest wait' yes \
  "$([ "${answered:-0}" -ge 1 ] && [ "$answered" -le 90 ] && [ "$(awk '$2 == 429 { print $1 }' "$work/many")" = $((1000 - answered)) ] && echo yes || cat "$work/many")"
