# The plug was pulled while accounts were made: after the boot each is there and served.
. "$(dirname "$0")/../lib.sh"

states() { systemctl is-active panel panel-host nginx named | xargs; }
all_active() { [ "$(states)" = 'active active active active' ]; }
is 'the services are back' yes "$(eventually all_active && echo yes)"
jobs_end
is 'every account that was acknowledged is served' 8 "$(for n in $(seq 8); do code "plug$n.example"; echo; done | grep -c 200)"
is 'no tenant reaches a socket that there is since the boot' '' "$(runuser -u plug1 -- find /run -type s -path '*ssh*' -writable 2> /dev/null)"
is 'nothing differs' '' "$(panel host diff)"
is 'no half-written file is left' '' "$(find /etc /var/lib/panel-host /home -xdev -name '*.panel-new' 2> /dev/null)"
