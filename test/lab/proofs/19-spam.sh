# Spam: mail from outside gets as many stars as points, and each account says from how many on it goes to the folder Junk.
. "$(dirname "$0")/../lib.sh"
password=canary-Sandpiper-6631

if [ "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" -lt 1900000 ]; then
  is 'with less than 2 GB of memory rspamd is left out' '' "$(systemctl cat rspamd.service 2> /dev/null)"
  echo '# SKIPPED: what rspamd does is not proven on this machine'
  exit
fi
is 'with 2 GB of memory or more rspamd runs' active "$(systemctl is-active rspamd)"
account spa
quietly bash -c "printf %s '$password' | panel email create info@spa.example --password-stdin"
is 'one process judges mail, and no port of it is open' '0' "$(ss -ltnH | grep -c ':1133[0-9]')"
# Two minutes after its first start it has compiled its expressions, and reads them from its cache.
memory() { cat $(pgrep rspamd | sed 's,.*,/proc/&/smaps_rollup,') 2> /dev/null | awk '/^Pss:/ { sum += $2 } END { print int(sum / 1024) }'; }
for _ in $(seq 150); do [ "$(memory)" -lt 170 ] && break; sleep 2; done
is 'what it has compiled does not stay in its memory' yes "$(has=$(memory); [ "$has" -gt 20 ] && [ "$has" -lt 170 ] && echo yes || echo "$has MB")"
main=$(systemctl show -P MainPID rspamd)
kill -9 "$main"
is_back() { systemctl is-active -q rspamd && [ "$(systemctl show -P MainPID rspamd)" != "$main" ] && [ -S /run/rspamd/milter.sock ]; }
is 'killed, it comes back' yes "$(eventually is_back && echo yes)"
is 'no tenant reaches its socket' no "$(runuser -u spa -- curl -s --unix-socket /run/rspamd/milter.sock http://x/ > /dev/null 2>&1; [ $? = 7 ] && echo no)"

# Rules of the machine's own, so that points do not depend on what the world's lists say: deliver POINTS SUBJECT
cat > /etc/rspamd/local.d/regexp.conf <<'R'
"PROOF_FIVE" { re = 'Subject=/proof-five/H'; score = 5.0; }
"PROOF_NINE" { re = 'Subject=/proof-nine/H'; score = 20.0; }
R
quietly systemctl restart rspamd
eventually test -S /run/rspamd/milter.sock
box() { find "/home/spa/mail/spa.example/info/Maildir$1" -type f 2> /dev/null; }
deliver() { # deliver SUBJECT [HEADER]
  printf 'From: me@out.example\r\nTo: info@spa.example\r\nSubject: %s\r\nMessage-ID: <%s@out.example>\r\nDate: %s\r\n%b\r\nHello there.\r\n' "$1" "$RANDOM$RANDOM" "$(date -R)" "${2:-}" > $mail
  curl -s -o /dev/null -w '%{response_code}' --max-time 60 smtp://127.0.0.1:25/out.example --mail-from me@out.example --mail-rcpt info@spa.example -T $mail
}
has() { for _ in $(seq 150); do [ "$(box "$1" | wc -l)" = "$2" ] && break; sleep 0.1; done; box "$1" | wc -l; }
stars() { grep -h '^X-Spam-Level:' "$1" | tr -cd '*' | wc -c; }

quietly panel email spam set-filter true --score 15 -a spa
quietly panel email spam set-box true -a spa
is 'mail that has few points is taken, and delivered' '250 1' "$(deliver proof-five) $(has /new 1)"
few=$(stars "$(box /new)")
is 'it has its points for stars' yes "$([ "$few" -ge 3 ] && [ "$few" -lt 15 ] && echo yes || echo "$few")"
is 'spam is taken too, and goes to the folder' '250 1' "$(deliver proof-nine) $(has /.Junk/new 1)"
is 'and to no other' 1 "$(box /new | wc -l)"
is 'stars that the sender put there are taken away' '250 2' "$(deliver plain 'X-Spam-Level: ************************************\r\n') $(has /new 2)"
# The test pattern of spam filters, which rspamd of Debian 12 refuses by itself.
pattern='XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'
before=$(box | wc -l)
if grep -q 'VERSION_ID="12"' /etc/os-release; then
  is 'the test pattern is refused on Debian 12' 554 "$(deliver pattern "\r\n$pattern\r\n")"
else
  is 'the test pattern is refused no more than other spam' "250 $((before + 1))" \
    "$(deliver pattern "\r\n$pattern\r\n") $(for _ in $(seq 150); do [ "$(box | wc -l)" -gt "$before" ] && break; sleep 0.1; done; box | wc -l)"
  find /home/spa/mail/spa.example/info/Maildir -type f -path '*/new/*' -exec grep -l "^Subject: pattern" {} + | xargs rm
fi
quietly panel email spam set-filter true --score 3 -a spa
is 'a lower score puts more aside' '250 2' "$(deliver proof-five) $(has /.Junk/new 2)"
quietly panel email autoresponder set info@spa.example --subject Away --body 'Back soon.'
before=$(postqueue -j | grep -c me@out.example)
is 'spam is not answered' "250 3 $before" "$(deliver proof-nine) $(has /.Junk/new 3) $(postqueue -j | grep -c me@out.example)"
quietly panel email autoresponder delete info@spa.example --yes
quietly panel email spam set-box false -a spa
is 'without the folder it is only marked' '250 3' "$(deliver proof-nine) $(has /new 3)"
quietly panel email spam set-filter false -a spa
before=$(box /new | sort)
is 'where the filter is off mail says nothing of it' '250 4 0' "$(deliver proof-nine) $(has /new 4) $(grep -cih '^X-Spam' $(comm -13 <(echo "$before") <(box /new | sort)))"
quietly panel email spam set-filter true --score 3 -a spa
is 'the scripts cause no complaint' '' "$(journalctl -t dovecot --no-pager | grep -i 'sieve.*\(error\|failed\)' | grep spa.example)"
systemctl stop rspamd
is 'mail goes on while nothing judges it' '250 5' "$(deliver proof-nine) $(has /new 5)"
rm /etc/rspamd/local.d/regexp.conf
quietly systemctl start rspamd
