import type { SetupStep } from '../step.ts'
import { setKernel, sysctlFile } from '../sysctl.ts'

/**
 * Terminals of mounts that others than root or this machine's PID 1 make, such as containers and namespaces of users.
 * The rest is for the machine's own, and the accounts' mounts, each of which has its maximum.
 */
const MAX_TERMINALS_OF_OTHERS = 4096
const MAX_TERMINALS = 1_000_000

/** Each event of asynchronous input and output takes 64 bytes, each open file 200, of the memory of its account. */
const BOUND_BY_MEMORY = 1_000_000_000_000

const settings = {
  'fs.aio-max-nr': BOUND_BY_MEMORY,
  'fs.file-max': BOUND_BY_MEMORY,
  // All that the kernel can have. `debian/ipc-objects.ts` bounds those of each account.
  'kernel.shmmni': 32_768,
  'kernel.pty.max': MAX_TERMINALS,
  'kernel.pty.reserve': MAX_TERMINALS - MAX_TERMINALS_OF_OTHERS,
}

const defaults = { 'fs.aio-max-nr': 65_536, 'kernel.shmmni': 4096, 'kernel.pty.max': 4096, 'kernel.pty.reserve': 1024 }

/** What the kernel counts for all users together has room for what each account may take. */
export const kernel: SetupStep = {
  name: 'kernel',
  packages: () => ['procps'],
  files: () => [
    {
      path: '/etc/sysctl.d/60-panel-kernel.conf',
      content: sysctlFile('room for what each account may take.', settings),
      mode: 0o644,
    },
  ],
  prepare: (run) => setKernel(run, settings),
  undo: async (run) => void (await setKernel(run, defaults)),
}
