import { type Directory, holding } from '../homes/home/directory.ts'
import { openDump } from '../homes/home/dump.ts'
import { removeAll } from '../homes/home/remove.ts'
import type { FailPoint } from '../install/engine.ts'
import type { SavedHome } from './home.ts'
import { pack } from './pack.ts'
import { replaced } from './replaced.ts'
import { stage } from './stage.ts'
import { swapIn } from './swap.ts'

/** A home that this process accesses directly, reopened for each call. */
export const localHome = (open: () => Promise<Directory>, onFailPoint?: FailPoint): SavedHome => ({
  pack: (part, signal) => holding(open(), (home) => pack(home, part, signal)),
  dump: (request, signal) => holding(open(), (home) => openDump(home, request, signal)),
  replaced: (staging, signal) => holding(open(), (home) => replaced(home, staging, signal)),
  stage: (staging, bytes, signal) => holding(open(), (home) => stage(home, staging, bytes, signal)),
  swap: (name, swap) => holding(open(), (home) => swapIn(home, Buffer.from(name), swap, onFailPoint)),
  clear: (name) => holding(open(), (home) => removeAll(home, Buffer.from(name))),
})
