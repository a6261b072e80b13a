# What accounts transfer stands in logs that are counted every quarter of an hour, and that root alone reads.
. "$(dirname "$0")/../lib.sh"
account tess
quietly bash -c 'printf %s canary-Sandpiper-6631 | panel ftp create web@tess.example --password-stdin'
quietly bash -c 'printf %s canary-Sandpiper-6631 | panel email create info@tess.example --password-stdin'
head -c 5000 /dev/zero > /tmp/some
for to in ftp://127.0.0.1/a.bin sftp://127.0.0.1:2222/sites/tess.example/public/b.bin; do
  curl -s --insecure --max-time 20 -u web@tess.example:canary-Sandpiper-6631 -T /tmp/some "$to"
done
is 'the site sends' 5000 "$(page tess.example a.bin | wc -c)"
printf 'From: a@out.example\r\nSubject: proof\r\n\r\nmarker\r\n' > $mail
curl -s --max-time 60 smtp://127.0.0.1:25/out.example --mail-from a@out.example --mail-rcpt info@tess.example -T $mail
log=/var/log/panel
is 'uploads by FTP and SFTP' 'ftp sftp' "$(grep -o ' 5000 /home/tess/.* [ab] _ i r web@tess.example s\?ftp 0 \* c$' $log/ftp.log | sed "s,.* \(s*ftp\) 0 .*,\1," | xargs)"
delivered() { grep -q 'postfix/lmtp\[[0-9]*\]: [0-9A-Za-z]*: to=<info@tess.example>, .*status=sent ' $log/mail.log; }
is 'mail that came' yes "$(eventually delivered && echo yes)"
is 'and its size' yes "$(grep -q 'postfix/qmgr\[[0-9]*\]: [0-9A-Za-z]*: from=<a@out.example>, size=[0-9]*, nrcpt=1' $log/mail.log && echo yes)"
is 'what the site sent' yes "$(awk '$2 == "tess" && $NF > 5000 { print "yes"; exit }' $log/bandwidth.log)"
is 'no tenant reads of others' '600 600 600' "$(stat -c %a $log/bandwidth.log $log/ftp.log $log/mail.log | xargs)"
