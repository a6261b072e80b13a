import type { Inspection } from '../../contract/commands/state.ts'
import type { Run } from '../commands.ts'
import { queueDir } from '../mail/places.ts'
import { queuedMail } from '../mail/waiting.ts'
import { reportedVersions } from '../php/versions.ts'
import type { Suite } from '../suite.ts'
import type { Configurations } from './configurations.ts'
import { cgroupVersion, quotaKind, unenforced } from './limits.ts'
import { inspectServices } from './services.ts'

/** Inspects this machine. */
export async function inspect(run: Run, suite: Suite, configurations: Configurations): Promise<Inspection> {
  const services = await inspectServices(run, suite)
  return {
    system: suite.name,
    services,
    quota: quotaKind(),
    cgroup: cgroupVersion(),
    unenforced: unenforced(),
    misconfigured: await configurations.misconfigured(services.map(({ name }) => name)),
    php: reportedVersions(suite),
    queuedMail: await queuedMail(queueDir),
  }
}
