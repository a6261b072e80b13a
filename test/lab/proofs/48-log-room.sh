# Root owns the logs of an account's programs, so no quota counts them: programs get pipes, by which they can allocate nothing.
. "$(dirname "$0")/../lib.sh"
account loggy
app=$(mktemp -d)
cat > "$app/server.js" <<'JS'
const { execFileSync } = require('node:child_process')
const { createServer } = require('node:http')
const tries = `
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
for mode in 0, 1:
    print('allocated' if libc.fallocate(2, mode, 0, 1 << 28) == 0 else errno.errorcode[ctypes.get_errno()])
try: os.ftruncate(2, 1 << 42); print('lengthened')
except OSError as error: print(errno.errorcode[error.errno])
print(os.readlink('/proc/self/fd/2').split(':')[0])
print(open('/proc/self/status').read().split('CapBnd:')[1].split()[0])
`
const result = execFileSync('python3', ['-c', tries], { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
console.log('printed by the app')
process.on('SIGTERM', () => { console.error('ended in order'); process.exit(0) })
createServer((_request, response) => response.end(result)).listen(process.env.PORT)
JS
echo '{"name":"loggy","version":"1.0.0","scripts":{"start":"exec node server.js"}}' > "$app/package.json"
echo '{"name":"loggy","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"loggy","version":"1.0.0"}}}' > "$app/package-lock.json"
quietly panel apps create loggy -a loggy --kind node --start 'exec node server.js' --domain loggy.example
quietly panel apps deploy loggy -a loggy --dir "$app"
log=/var/log/panel/loggy/loggy.app.log
is 'an app allocates nothing by its output' 'ESPIPE ESPIPE EINVAL pipe 0000000000000000' "$(page loggy.example | xargs)"
is 'its log has what it printed' 1 "$(grep -c 'printed by the app' $log)"
is 'and takes no more room than that' yes "$([ "$(stat -c %s $log)" -lt 10000 ] && [ "$(stat -c %b $log)" -lt 100 ] && echo yes)"
is 'no program of the account has it open' '' "$(for pid in $(pgrep -u loggy); do readlink /proc/"$pid"/fd/*; done | grep -F "$log")"
quietly panel apps stop loggy -a loggy
is 'what it prints when it ends is kept' yes "$(eventually grep -q 'ended in order' $log && echo yes)"
is 'and nothing of it runs on' '' "$(pgrep -f '[p]anel-output'; systemctl list-units --plain --no-legend 'panel-app-loggy-*')"

# Apache's log, by any program of the account: it takes the descriptor from Apache itself.
quietly panel domains create apache.loggy.example -a loggy --handler apache
echo fine | install -o loggy -g loggy -m 0644 /dev/stdin /home/loggy/sites/apache.loggy.example/public/x.txt
is 'Apache answers' fine "$(page apache.loggy.example x.txt)"
is 'as the account, without any right' 'loggy 0000000000000000' "$(pid=$(systemctl show -P MainPID panel-apache-loggy.service); { stat -c %U /proc/$pid; sed -n 's/^CapBnd:\s*//p' /proc/$pid/status; } | xargs)"
is 'no program of the account has its log open' '' "$(for pid in $(pgrep -u loggy); do readlink /proc/"$pid"/fd/*; done | grep -F /var/log)"
is 'which it goes on writing' yes "$(grep -q 'resuming normal operations' /var/log/panel/loggy/apache.error.log && echo yes)"
quietly panel accounts terminate loggy --yes --confirm loggy
rm -rf "$app"
