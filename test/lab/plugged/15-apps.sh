# The plug was pulled while apps ran: after the boot each is started again, and guarded before it is.
. "$(dirname "$0")/../lib.sh"

if panel accounts show appb > /dev/null 2>&1; then
  serves() { [ "$(page "$1" | cut -d' ' -f1)" = "$2" ]; }
  is 'an app that listens on a socket serves again' yes "$(eventually serves appc.example python && echo yes)"
  is 'and one that listens on a port' yes "$(eventually serves appb.example v2 && echo yes)"
  port=$(panel apps show api -a appb --select port)
  is 'which root does not reach' 000 "$(curl -s -m 3 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/pid")"
fi
