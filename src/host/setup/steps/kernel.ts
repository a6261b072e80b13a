import { totalmem } from 'node:os'
import { cgroupVersion } from '../../debian/inspect/limits.ts'
import type { SetupStep } from '../step.ts'
import { type KernelSettings, setKernel, sysctlFile } from '../sysctl.ts'

/**
 * Terminals of mounts that others than root or this machine's PID 1 make, such as containers and namespaces of users.
 * The rest is for the machine's own, and the accounts' mounts, each of which has its maximum.
 */
const MAX_TERMINALS_OF_OTHERS = 4096
const MAX_TERMINALS = 1_000_000

/** Each event of asynchronous input and output takes 64 bytes, each open file 200, of the memory of its account. */
const BOUND_BY_MEMORY = 1_000_000_000_000

const PAGE_BYTES = 4096

/**
 * Data that TCP and UDP have waiting count as memory of their account's slice, with cgroup v2. The kernel's limits for all
 * users together, by default a tenth of the memory, must not be reached first. Connections that were closed before their
 * data was sent are such memory too.
 */
export function networkMemory(bytes = totalmem(), cgroup = cgroupVersion()): KernelSettings {
  if (cgroup !== 2) return {}
  const pages = [0.3, 0.4, 0.55].map((part) => Math.floor((bytes * part) / PAGE_BYTES)).join(' ')
  return { 'net.ipv4.tcp_mem': pages, 'net.ipv4.udp_mem': pages, 'net.ipv4.tcp_max_orphans': 1_000_000 }
}

const counts = {
  'fs.aio-max-nr': BOUND_BY_MEMORY,
  'fs.file-max': BOUND_BY_MEMORY,
  // All that the kernel can have. `debian/ipc-objects.ts` bounds those of each account.
  'kernel.shmmni': 32_768,
  'kernel.pty.max': MAX_TERMINALS,
  'kernel.pty.reserve': MAX_TERMINALS - MAX_TERMINALS_OF_OTHERS,
  // A network namespace takes 100 kB that are charged to no slice, and has its own table of connections.
  'kernel.unprivileged_userns_clone': 0,
  // For kernels without that setting, which is Debian's.
  'user.max_net_namespaces': 1000,
}

const defaults = {
  'fs.aio-max-nr': 65_536,
  'kernel.shmmni': 4096,
  'kernel.pty.max': 4096,
  'kernel.pty.reserve': 1024,
  'kernel.unprivileged_userns_clone': 1,
}

/** What the kernel counts for all users together has room for what each account may take. */
export const kernel: SetupStep = {
  name: 'kernel',
  packages: () => ['procps'],
  files: () => [
    {
      path: '/etc/sysctl.d/60-panel-kernel.conf',
      content: sysctlFile('room for what each account may take.', { ...counts, ...networkMemory() }),
      mode: 0o644,
    },
  ],
  prepare: (run) => setKernel(run, { ...counts, ...networkMemory() }),
  undo: async (run) => void (await setKernel(run, defaults)),
}
