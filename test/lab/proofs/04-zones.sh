# BIND answers for the zones of accounts.
. "$(dirname "$0")/../lib.sh"

account zoe
is 'BIND answers for the zone' host.example. "$(dig +short @127.0.0.1 zoe.example NS)"
quietly panel accounts terminate zoe --yes --confirm zoe
job account.terminate
is 'terminated: no zone' '' "$(dig +short @127.0.0.1 zoe.example SOA)"
