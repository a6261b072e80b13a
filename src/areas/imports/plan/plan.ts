import { type ReportItem, reportParts } from '../../../contract/imports.ts'
import { type PlannedAccount, planAccount } from './account.ts'
import { type PlannedCertificate, planCertificates } from './certificates.ts'
import { type PlannedCron, planCron } from './cron.ts'
import { type PlannedDatabases, planDatabases } from './databases.ts'
import { type PlannedDomain, planDomains } from './domains.ts'
import { planFiles } from './files.ts'
import { type PlannedFtp, planFtp } from './ftp.ts'
import { planHtaccess } from './htaccess.ts'
import { type PlannedMail, planMail } from './mail.ts'
import { type Planning, skips } from './planning.ts'
import { Report } from './report.ts'
import { type PlannedKey, planSsh } from './ssh.ts'
import { type PlannedZone, planZones } from './zones.ts'

export interface ImportPlan {
  readonly items: readonly ReportItem[]
  readonly isBlocked: boolean
  readonly account: PlannedAccount
  readonly domains: readonly PlannedDomain[]
  readonly mail: PlannedMail
  readonly databases: PlannedDatabases
  readonly zones: readonly PlannedZone[]
  readonly certificates: readonly PlannedCertificate[]
  readonly ftp: readonly PlannedFtp[]
  readonly cron: readonly PlannedCron[]
  readonly ssh: readonly PlannedKey[]
}

/** Judges what was read by the options and this server: all that is wrong at once, and nothing is changed. */
export function planImport(planning: Omit<Planning, 'report'>): ImportPlan {
  const report = new Report()
  const at: Planning = { ...planning, report }
  const account = planAccount(at)
  const domains = planDomains(at, account)
  const mail = planMail(at, account, domains)
  const databases = planDatabases(at, account)
  const zones = planZones(at, domains)
  const certificates = planCertificates(at, domains)
  const ftp = planFtp(at, account, domains)
  const cron = planCron(at)
  const ssh = planSsh(at)
  planFiles(at)
  planHtaccess(at, domains)
  sayFindings(at)
  const { items, hasConflicts: isBlocked } = report
  return { items, isBlocked, account, domains, mail, databases, zones, certificates, ftp, cron, ssh }
}

/** What the reader passed over. Mail filters are lost; of the rest it says itself what becomes of it. */
function sayFindings(at: Planning): void {
  for (const { part, item, text, file, line } of at.source.findings) {
    const isFilter = part === 'filters'
    if (isFilter && skips(at, 'mail')) continue
    const place = { ...(file && { file }), ...(line && { line }) }
    at.report.add(isFilter ? 'mail' : asPart(part), item, isFilter ? 'not_possible' : 'changed', text, place)
  }
}

const asPart = (part: string): ReportItem['part'] => reportParts.find((one) => one === part) ?? 'account'
