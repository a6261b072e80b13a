# Suspended: a 503 page and nothing that runs. Unsuspended: all is back. Terminated: nothing is left.
. "$(dirname "$0")/../lib.sh"

account sue
account nell
put sue who.php <<< '<?php echo posix_getuid();'
uid=$(id -u sue)
is 'PHP answers' "$uid" "$(page sue.example who.php)"

quietly panel accounts suspend sue --reason unpaid
is 'suspended: 503' 503 "$(code sue.example)"
is 'suspended: no PHP' inactive "$(systemctl is-active panel-php@sue)"
is 'suspended: expired' 1 "$(getent shadow sue | cut -d: -f8)"
quietly panel accounts unsuspend sue
is 'unsuspended: the page is back' "$uid" "$(page sue.example who.php)"

quietly panel accounts terminate sue --yes --confirm sue
job account.terminate
is 'terminated: no user' '' "$(getent passwd sue)"
is 'terminated: no file outside the trash' '' "$(find / -xdev -uid "$uid" -not -path '/trash/*' 2> /dev/null)"
is 'terminated: no unit' inactive "$(systemctl is-active panel-php@sue)"
is 'terminated: its neighbour is untouched' 200 "$(code nell.example)"
