# BIND answers for the zones of accounts, a changed record is seen, and signed zones validate.
. "$(dirname "$0")/../lib.sh"
# What a resolver makes of an answer that trusts the zone's DS alone: validated NAME TYPE
validated() { delv @127.0.0.1 -a /tmp/anchor "+root=zoe.example" "$1" "$2" 2>&1 | grep -m1 '^; '; }
validates() { [ "$(validated "$1" A)" = '; fully validated' ]; }
# named takes a zone up a moment after it was told.
seen() { [ "$(dig +short @127.0.0.1 "$1" A)" = "$2" ]; }

account zoe
account zac
is 'BIND answers for the zone' host.example. "$(dig +short @127.0.0.1 zoe.example NS)"
quietly panel dns add-record zoe.example new A 192.0.2.9
is 'a new record is seen' yes "$(eventually seen new.zoe.example 192.0.2.9 && echo yes)"
refused 'what no zone may hold is refused' panel dns add-record zoe.example www CNAME elsewhere.example
is 'and the zone is served on' 192.0.2.9 "$(dig +short @127.0.0.1 new.zoe.example A)"
is 'no other server gets the zone' 0 "$(dig @127.0.0.1 zoe.example AXFR | grep -c 192.0.2.9)"

quietly panel dns enable-dnssec zoe.example
read -r tag algorithm type digest <<< "$(panel dns dnssec zoe.example -o json | grep -o '[0-9]* 13 2 [0-9A-Fa-f]*' | head -1)"
echo "trust-anchors { \"zoe.example\" static-ds $tag $algorithm $type \"$digest\"; };" > /tmp/anchor
eventually bash -c 'dig +dnssec +short @127.0.0.1 zoe.example SOA | grep -q "^SOA 13"'
is 'a signed zone validates' '; fully validated' "$(validated new.zoe.example A)"
is 'and that a name is missing does' '; negative response, fully validated' "$(validated missing.zoe.example A)"
is 'by the key that the panel has told of, and no other' "$tag" "$(dig +multi @127.0.0.1 zoe.example DNSKEY | grep -o 'key id = [0-9]*' | cut -d' ' -f4 | sort -u | xargs)"
quietly panel dns add-record zoe.example later A 192.0.2.10
eventually bash -c 'dig +short @127.0.0.1 later.zoe.example A | grep -q 192.0.2.10'
is 'a new record is signed too' '; fully validated' "$(validated later.zoe.example A)"
systemctl restart named
is 'after a restart it validates' yes "$(eventually validates later.zoe.example && echo yes)"
is 'a forged key does not' 0 "$(sed -i "s/$tag/$(((tag + 1) % 65536))/" /tmp/anchor; validated new.zoe.example A | grep -c '^; fully')"
quietly panel dns disable-dnssec zoe.example --yes
eventually bash -c '! dig +dnssec +short @127.0.0.1 zoe.example SOA | grep -q "^SOA 13"'
is 'unsigned it is served on' 192.0.2.9 "$(dig +short @127.0.0.1 new.zoe.example A)"
is 'nothing differs' '' "$(panel host diff --account zoe)"

quietly panel accounts terminate zoe --yes --confirm zoe
job account.terminate
is 'terminated: no zone' '' "$(dig +short @127.0.0.1 zoe.example SOA)"
is 'terminated: no file of it' '' "$(find /etc/bind /var/lib/bind -name '*zoe.example*')"
is 'its neighbour is served' host.example. "$(dig +short @127.0.0.1 zac.example NS)"
