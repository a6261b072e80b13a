import { FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID } from '../../../shared/account-uids.ts'
import type { SetupStep } from '../step.ts'
import { setKernel, sysctlFile } from '../sysctl.ts'

const script = '/etc/panel/limit-sockets.py'
const unit = '/etc/systemd/system/panel-sockets.service'

/** Internet sockets that programs of one account may have open, those of accepted connections not counted. */
const MAX_SOCKETS = 1000
/** Beyond so many of all accounts together, an account may have fewer: programs share 28,000 ports for connections. */
const MAX_SOCKETS_OF_ALL = 14_000
const MAX_SOCKETS_THEN = 100
/** A closed connection may keep its port for a minute, or for as long as its last bytes are on their way. */
const MAX_CLOSED_CONNECTIONS = 16_384
const MAX_UNSENT_CONNECTIONS = 8192

const program = `# Written by \`panel host setup\`: limits the internet sockets of each account, by two BPF programs that the kernel
# runs when a socket is opened or closed. limit-sockets.py attach|detach [CGROUP]
import ctypes, os, platform, struct, sys

FIRST_UID, LAST_UID = ${FIRST_ACCOUNT_UID}, ${LAST_ACCOUNT_UID}
MAX_SOCKETS, MAX_SOCKETS_OF_ALL, MAX_SOCKETS_THEN = ${MAX_SOCKETS}, ${MAX_SOCKETS_OF_ALL}, ${MAX_SOCKETS_THEN}
MAX_ENTRIES = 65536

# Of bpf(2): commands, types, flags, places to attach to, functions.
MAP_CREATE, MAP_UPDATE, PROG_LOAD, PROG_ATTACH, PROG_DETACH, FD_BY_ID, INFO_BY_FD, PROG_QUERY = 0, 2, 5, 8, 9, 13, 15, 16
HASH, CGROUP_SOCK, NO_PREALLOC, ALLOW_MULTI, NEW = 1, 9, 1, 2, 1
PLACES = {'panel_open': 2, 'panel_close': 34}
LOOKUP, UPDATE, DELETE, GET_UID, GET_COOKIE = 1, 2, 3, 15, 46
ATTRIBUTE_BYTES, INFO_BYTES, NAME_AT, COUNT_AT, MAX_PROGRAMS, LOG_BYTES = 128, 128, 64, 24, 64, 65536

call = ctypes.CDLL(None, use_errno=True).syscall
address, memory = ctypes.addressof, ctypes.create_string_buffer

def bpf(command, form, *values):
    attribute = memory(struct.pack('=' + form, *values), ATTRIBUTE_BYTES)
    result = call({'x86_64': 321, 'aarch64': 280}[platform.machine()], command, attribute, ATTRIBUTE_BYTES)
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result, attribute.raw

# Instructions: a result is in r0, arguments in r1 to r5; r6 to r9 stay; r10 is the end of the stack. A string is a label.
def assemble(lines):
    steps, labels = [], {}
    for line in lines:
        if isinstance(line, str): labels[line] = len(steps)
        else: steps.append(line)
    def pack(index, code, to=0, by=0, offset=0, value=0):
        if isinstance(offset, str): offset = labels[offset] - index - 1
        return struct.pack('=BBhi', code, to | by << 4, offset, value)
    return b''.join(pack(index, *step) for index, step in enumerate(steps))

run = lambda function: (0x85, 0, 0, 0, function)
copy = lambda to, by: (0xbf, to, by)
copy32 = lambda to, by: (0xbc, to, by)
number = lambda to, value: (0xb7, to, 0, 0, value)
load = lambda to, by: (0x79, to, by)
load32 = lambda to, by: (0x61, to, by)
store = lambda by, offset: (0x7b, 10, by, offset)
store32 = lambda by, offset: (0x63, 10, by, offset)
add = lambda to, by: (0xdb, to, by)
if_equal = lambda one, value, label: (0x15, one, 0, label, value)
if_other = lambda one, value, label: (0x55, one, 0, label, value)
if_above = lambda one, value, label: (0x25, one, 0, label, value)
if_from = lambda one, value, label: (0x35, one, 0, label, value)
if_below = lambda one, value, label: (0xa5, one, 0, label, value)
on_stack = lambda to, offset: [copy(to, 10), (0x07, to, 0, 0, offset)]
of_map = lambda to, fd: [(0x18, to, 1, 0, fd), (0,)]
end = lambda value: [number(0, value), (0x95,)]
UID, COOKIE, NONE = -4, -16, -16

# The sockets of each uid, and under 0 those of all. Who opened a socket is remembered: a process of another may close it.
def opened(owners, counts):
    count = [*of_map(1, counts), *on_stack(2, UID), run(LOOKUP)]
    return [
        copy(6, 1), run(GET_UID), copy32(7, 0), if_below(7, FIRST_UID, 'yes'), if_above(7, LAST_UID, 'yes'),
        store32(7, UID), *count, if_other(0, 0, 'known'),
        number(1, 0), store(1, NONE), *of_map(1, counts), *on_stack(2, UID), *on_stack(3, NONE), number(4, NEW), run(UPDATE),
        *count, if_equal(0, 0, 'no'),
        'known', copy(8, 0), number(1, 0), store32(1, UID), *count, if_equal(0, 0, 'no'), copy(9, 0),
        load(1, 8), if_from(1, MAX_SOCKETS, 'no'),
        load(2, 9), if_below(2, MAX_SOCKETS_OF_ALL, 'free'), if_from(1, MAX_SOCKETS_THEN, 'no'),
        'free', copy(1, 6), run(GET_COOKIE), store(0, COOKIE), store32(7, UID),
        *of_map(1, owners), *on_stack(2, COOKIE), *on_stack(3, UID), number(4, NEW), run(UPDATE), if_other(0, 0, 'no'),
        number(1, 1), add(8, 1), add(9, 1),
        'yes', *end(1), 'no', *end(0),
    ]

def closed(owners, counts):
    one_less = [*of_map(1, counts), *on_stack(2, UID), run(LOOKUP), if_equal(0, 0, 'end'), number(1, -1), add(0, 1)]
    return [
        run(GET_COOKIE), store(0, COOKIE), *of_map(1, owners), *on_stack(2, COOKIE), run(LOOKUP), if_equal(0, 0, 'end'),
        load32(7, 0), *of_map(1, owners), *on_stack(2, COOKIE), run(DELETE), if_other(0, 0, 'end'),
        store32(7, UID), *one_less, number(1, 0), store32(1, UID), *one_less,
        'end', *end(1),
    ]

def load_program(name, lines):
    code, licence, log = memory(assemble(lines)), memory(b'GPL'), memory(LOG_BYTES)
    try:
        return bpf(PROG_LOAD, '2I2Q2IQ2I16s2I', CGROUP_SOCK, len(code) // 8, address(code), address(licence),
                   1, LOG_BYTES, address(log), 0, 0, name.encode(), 0, PLACES[name])[0]
    except OSError:
        print(log.value.decode(), file=sys.stderr)
        raise

def load_programs():
    owners, counts = (bpf(MAP_CREATE, '5I', HASH, key, value, MAX_ENTRIES, NO_PREALLOC)[0] for key, value in ((8, 4), (4, 8)))
    all_uids, none = memory(4), memory(8)
    bpf(MAP_UPDATE, '2I3Q', counts, 0, address(all_uids), address(none), 0)
    return {name: load_program(name, lines(owners, counts)) for name, lines in (('panel_open', opened), ('panel_close', closed))}

def attached(group, place):
    ids = memory(4 * MAX_PROGRAMS)
    answer = bpf(PROG_QUERY, '4IQI', group, place, 0, 0, address(ids), MAX_PROGRAMS)[1]
    for index in range(struct.unpack_from('=I', answer, COUNT_AT)[0]):
        one, info = bpf(FD_BY_ID, 'I', struct.unpack_from('=I', ids.raw, 4 * index)[0])[0], memory(INFO_BYTES)
        bpf(INFO_BY_FD, '2IQ', one, INFO_BYTES, address(info))
        if info.raw[NAME_AT:NAME_AT + 16].rstrip(b'\\0').decode() in PLACES: yield one

def root():
    with open('/proc/self/mounts') as mounts: return next(line.split()[1] for line in mounts if line.split()[2] == 'cgroup2')

def main(command, group):
    group = os.open(group, os.O_RDONLY)
    former = [(place, one) for place in PLACES.values() for one in attached(group, place)]
    for name, one in load_programs().items() if command == 'attach' else (): bpf(PROG_ATTACH, '4I', group, one, PLACES[name], ALLOW_MULTI)
    for place, one in former: bpf(PROG_DETACH, '3I', group, one, place)

try: main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else root())
except PermissionError: print('<4>This machine is a container that may not limit sockets: an account can take all ports.', file=sys.stderr)
`

/** The programs stay when this process ends; other limits depend on nothing here, so a failure stops only this unit. */
const service = `# Written by \`panel host setup\`.
[Unit]
Description=Limits of the sockets of accounts
Before=panel-host.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/python3 -I ${script} attach
ExecStop=/usr/bin/python3 -I ${script} detach

[Install]
WantedBy=multi-user.target
`

const settings = {
  'net.ipv4.tcp_max_tw_buckets': MAX_CLOSED_CONNECTIONS,
  'net.ipv4.tcp_max_orphans': MAX_UNSENT_CONNECTIONS,
}
/** The kernel opens their sockets by itself, so no limit counts them. */
const modules = ['rxrpc', 'smc']

/**
 * All programs of the machine share the ports for their connections, and a bound port is closed to all others. No limit of
 * systemd, PAM or nftables counts them: files times processes are far more.
 */
export const sockets: SetupStep = {
  name: 'sockets',
  packages: () => ['python3', 'procps', 'kmod'],
  files: () => [
    { path: script, content: program, mode: 0o600 },
    { path: unit, content: service, mode: 0o644 },
    {
      path: '/etc/sysctl.d/60-panel-sockets.conf',
      content: sysctlFile('ports that no program has any more.', settings),
      mode: 0o644,
    },
    {
      path: '/etc/modprobe.d/panel-sockets.conf',
      content: `# Written by \`panel host setup\`: their ports are counted for no account.\n${modules.map((name) => `install ${name} /bin/false\n`).join('')}`,
      mode: 0o644,
    },
  ],
  prepare: (run) => setKernel(run, settings),
  units: () => [{ name: 'panel-sockets.service', run: true }],
}
