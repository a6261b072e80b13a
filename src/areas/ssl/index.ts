import type { Area } from '../../runtime/areas/area.ts'
import { ofZone } from './acme/challenges.ts'
import { setAutossl } from './autossl.ts'
import { beginAutossl } from './autossl-job.ts'
import { csrsOf } from './csrs.ts'
import { ofDomain } from './domain.ts'
import { ensureCertificates } from './ensure.ts'
import { endingCertificates } from './expiry.ts'
import { tlsHost } from './host.ts'
import { issueCertificate } from './issue.ts'
import { issueKind } from './issuing.ts'
import { sslJobs } from './jobs.ts'
import { failedCertificates } from './notices.ts'
import { certificateOperations } from './operations.ts'
import { requestOperations } from './requests.ts'
import { refuseSettings, settings } from './settings.ts'
import { type FullCertificate, findCertificate } from './store.ts'
import { stored } from './stored.ts'
import type { CsrRow } from './tables.ts'
import { beginUpkeep } from './upkeep.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/ssl/certificates/{cid}': { certificate: FullCertificate }
    '/accounts/{id}/ssl/csrs/{rid}': { csr: CsrRow }
  }
}

export const ssl = {
  name: 'ssl',
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: { ...certificateOperations, ...requestOperations, issueCertificate, setAutossl },
  settings,
  refuseSettings,
  finders: {
    '/accounts/{id}/ssl/certificates/{cid}': (ctx, { id, cid }) => ({ certificate: findCertificate(ctx, id, cid) }),
    '/accounts/{id}/ssl/csrs/{rid}': (ctx, { id, rid }) => ({ csr: csrsOf.find(ctx, id, rid) }),
  },
  jobs: (runtime, { host, lookups }) => [
    ...sslJobs({ runtime, client: host }),
    issueKind({ runtime, client: host }, lookups),
  ],
  lanes: { ssl: 3 },
  ofAccount: {
    prepare: ensureCertificates,
    host: { tls: tlsHost },
    notices: (ctx, scope) => [...endingCertificates(ctx, scope), ...failedCertificates(ctx, scope)],
  },
  ofDomain,
  ofZone,
  start(runtime, { lookups }) {
    const [upkeep, automatic] = [beginUpkeep(runtime), beginAutossl(runtime, lookups)]
    return { stop: async () => void (await Promise.all([upkeep.stop(), automatic.stop()])) }
  },
  stored,
} satisfies Area
