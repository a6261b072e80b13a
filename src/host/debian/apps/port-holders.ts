import { isFree } from '../../apps/sockets.ts'
import type { Run } from '../commands.ts'

const TIMEOUT_S = 30

/**
 * A socket that is bound but does not listen is in no list of the kernel's: its address is asked for in a copy of it. The
 * agent may not look into processes of others, so this runs as a unit, in the language that is on every machine with
 * apps. Who takes the port again and again loses all its processes.
 */
const script = `
import ctypes, os, signal, socket, sys, time
port, owner = int(sys.argv[1]), int(sys.argv[2])
PIDFD_GETFD = 438
call = ctypes.CDLL(None).syscall

def has_port(handle, number):
    copy = call(PIDFD_GETFD, handle, number, 0)
    if copy < 0: return False
    with socket.socket(fileno=copy) as one:
        return one.family in (socket.AF_INET, socket.AF_INET6) and one.type == socket.SOCK_STREAM and one.getsockname()[1] == port

def holds(pid):
    handle = os.pidfd_open(pid)
    try:
        for name in os.listdir(f'/proc/{pid}/fd'):
            try:
                if os.readlink(f'/proc/{pid}/fd/{name}').startswith('socket:') and has_port(handle, int(name)): return True
            except OSError: pass
        return False
    finally: os.close(handle)

def strangers():
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{name}/status') as status: uid = next(int(line.split()[1]) for line in status if line.startswith('Uid:'))
            if 20000 <= uid <= 59999 and uid != owner: yield int(name), uid
        except OSError: pass

def listeners():
    for table in ('tcp', 'tcp6'):
        with open(f'/proc/net/{table}') as lines:
            for line in list(lines)[1:]:
                fields = line.split()
                if fields[3] == '0A' and int(fields[1].rsplit(':', 1)[1], 16) == port: yield int(fields[7])

def found():
    for pid, uid in strangers():
        try:
            if holds(pid): yield pid, uid
        except OSError: pass

ended = set()
for turn in range(10):
    holders = list(found())
    hidden = {uid for uid in listeners() if 20000 <= uid <= 59999 and uid != owner} - {uid for _, uid in holders}
    culprits = hidden | ({uid for _, uid in holders} if turn > 1 else set())
    victims = dict(holders) | {pid: uid for pid, uid in strangers() if uid in culprits}
    if not victims: break
    for pid, uid in victims.items():
        try: os.kill(pid, signal.SIGKILL); ended.add(uid)
        except OSError: pass
    time.sleep(0.02)
print(*sorted(ended))
`

/** Ends programs of other accounts that have an app's port. */
export async function endHolders(run: Run, port: number, owner: number): Promise<void> {
  if (await isFree(port, '::')) return
  const words = ['--pipe', '--wait', '--collect', '--quiet', `--property=RuntimeMaxSec=${TIMEOUT_S}`, '--']
  const ended = await run('/usr/bin/systemd-run', [
    ...words,
    ...['/usr/bin/python3', '-I', '-c', script, String(port), String(owner)],
  ])
  if (ended.trim() === '') return
  process.stderr.write(`warning: programs of ${ended.trim()} were ended: they had port ${port}, an app's of ${owner}\n`)
}
