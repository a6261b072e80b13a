import type { Inspection } from '../../contract/inspection.ts'
import type { Run } from '../commands.ts'
import type { Suite } from '../suite.ts'
import { cgroupVersion, quotaKind, unenforced } from './limits.ts'
import { inspectServices } from './services.ts'

/** Inspects this machine. */
export async function inspect(run: Run, suite: Suite): Promise<Inspection> {
  const services = await inspectServices(run, suite)
  return { system: suite.name, services, quota: quotaKind(), cgroup: cgroupVersion(), unenforced: unenforced() }
}
