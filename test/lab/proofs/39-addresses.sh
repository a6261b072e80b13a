# What an address leads to is what is asked at its door: none, a closed mailbox, the contact, and an answer through a forwarder.
. "$(dirname "$0")/../lib.sh"
password=canary-Sandpiper-6631
box() { quietly bash -c "printf %s '$password' | panel email create $1 --password-stdin"; }
deliver() { # deliver TO
  printf 'From: Joe <joe@out.example>\r\nTo: %s\r\nSubject: proof\r\nMessage-ID: <%s@out.example>\r\nDate: %s\r\n\r\nHello.\r\n' "$1" "$RANDOM$RANDOM" "$(date -R)" > $mail
  curl -s -o /dev/null -w '%{response_code}' --max-time 60 smtp://127.0.0.1:25/out.example --mail-from joe@out.example --mail-rcpt "$1" -T $mail
}
count() { find "/home/ada/mail/${2:-ada.example}/$1/Maildir" -path '*/new/*' -o -path '*/cur/*' 2> /dev/null | wc -l; }
has() { for _ in $(seq 150); do [ "$(count "$1" "${3:-}")" = "$2" ] && break; sleep 0.1; done; count "$1" "${3:-}"; }
returned() { postqueue -j | grep -c '"sender": "MAILER-DAEMON"'; }

account ada --contact-email info@ada.example
quietly panel domains create more.example -a ada
quietly panel domains set-verified more.example true -a ada
for name in info closed temp; do box $name@ada.example; done
before=$(returned)

# Forwarders whose destination is gone.
refused 'a forwarder to a missing address of the account is refused' panel email forwarders create dead@ada.example nosuch@ada.example
is 'by that address' 1 "$(grep -c 'nosuch@ada.example: no mailbox or forwarder has this address' $said)"
quietly panel email forwarders create office@ada.example temp@ada.example
quietly panel email forwarders create all@ada.example office@ada.example
quietly panel email forwarders create both@ada.example temp@ada.example,info@ada.example
is 'a forwarder to a mailbox takes mail, through another too' '250 250 2' "$(deliver office@ada.example) $(deliver all@ada.example) $(has temp 2)"
quietly panel email delete temp@ada.example --yes
is 'the deletion names what leads there' 'both@ada.example office@ada.example' "$(sed -n '/^forwarders:/,$s/^\([a-z]*@[^\t]*\).*/\1/p' $said | sort | xargs)"
is 'they refuse mail then' '550 550 550' "$(deliver temp@ada.example) $(deliver office@ada.example) $(deliver all@ada.example)"
is 'but what leads elsewhere too' '250 1' "$(deliver both@ada.example) $(has info 1)"
box temp@ada.example
is 'created again, it gets mail' '250 1' "$(deliver all@ada.example) $(has temp 1)"

# A mailbox that receives nothing.
quietly panel email forwarders create via@ada.example closed@ada.example
is 'a mailbox takes mail, through a forwarder too' '250 250 2' "$(deliver closed@ada.example) $(deliver via@ada.example) $(has closed 2)"
quietly panel email suspend closed@ada.example --incoming
is 'closed, it takes none, however it is addressed' '554 554 554' "$(deliver closed@ada.example) $(deliver via@ada.example) $(deliver closed+tag@ada.example)"
quietly panel email domains set-catch-all ada.example forward closed@ada.example
is 'nor by a catch-all' 554 "$(deliver whatever@ada.example)"
quietly panel email domains set-catch-all ada.example reject
quietly panel email forwarders update via@ada.example --destinations closed@ada.example,info@ada.example
is 'and another destination gets its mail' '250 2 2' "$(deliver via@ada.example) $(has info 2) $(count closed)"
quietly panel email unsuspend closed@ada.example
is 'open again, both do' '250 3 3' "$(deliver via@ada.example) $(has closed 3) $(has info 3)"

# RFC 5321, 4.5.1, and RFC 2142.
number=3
for domain in ada.example more.example; do
  for role in postmaster abuse hostmaster PostMaster; do
    number=$((number + 1))
    is "$role@$domain reaches the contact" "250 $number" "$(deliver $role@$domain) $(has info $number)"
  done
done
box postmaster@more.example
is 'a mailbox of that name comes first' "250 1 $number" "$(deliver postmaster@more.example) $(has postmaster 1 more.example) $(count info)"

is 'nothing was returned to a sender' "$before" "$(returned)"

# Who writes to any address that leads to the mailbox is answered.
quietly panel email autoresponder set info@ada.example --subject Away --body 'Back on Monday.'
quietly panel email forwarders create sales@ada.example info@ada.example
answers() { postqueue -j | grep -c '"recipients": .*joe@out.example'; }
queued=$(answers)
is 'an autoresponder answers through a forwarder' '250 yes' "$(deliver sales@ada.example) $(for _ in $(seq 100); do [ "$(answers)" -gt "$queued" ] && echo yes && break; sleep 0.1; done)"
is 'nothing differs on the host' '' "$(panel host diff -a ada)"
