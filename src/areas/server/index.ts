import type { Area } from '../../runtime/area.ts'
import { nameSettings } from '../../runtime/server-names.ts'
import { migrations } from './migrations/index.ts'
import { applyJob, type Own, ownOf, rememberOwn, sweepServer } from './names/apply.ts'
import { issueJob } from './names/issue.ts'
import { namesChanged } from './names/settings.ts'
import { tendNames } from './names/tend.ts'
import { isLicenseExpired, serverOperations } from './operations.ts'

declare module '../../runtime/settings.ts' {
  interface Settings {
    license_valid_until: number | null
  }
}

export const server = {
  name: 'server',
  handlers: serverOperations,
  settings: nameSettings,
  settingsChanged: namesChanged,
  jobs(runtime, { host: client, certificate }) {
    const own: Own = { runtime, client, certificate }
    rememberOwn(own)
    return [applyJob(own), issueJob(own)]
  },
  lanes: { server: 1 },
  ofSweep: sweepServer,
  start: (runtime, { lookups }) => tendNames(ownOf(runtime), lookups),
  stored: { migrations },
  services: { licenseExpired: isLicenseExpired },
} satisfies Area
