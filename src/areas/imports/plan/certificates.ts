import { X509Certificate } from 'node:crypto'
import { day } from '../../../shared/time.ts'
import { validateUpload } from '../../ssl/validate-upload.ts'
import type { PlannedDomain } from './domains.ts'
import { type Planning, skips } from './planning.ts'

export interface PlannedCertificate {
  readonly domain: string
  readonly kind: 'custom' | 'imported'
  readonly sent: { readonly certificate: string; readonly private_key: string; readonly ca_bundle?: string }
}

/** Certificates with their keys. */
export function planCertificates(at: Planning, domains: readonly PlannedDomain[]): PlannedCertificate[] {
  const { source, report, ctx } = at
  const planned: PlannedCertificate[] = []
  if (skips(at, 'ssl')) return planned
  for (const { domain, certificate, key, chain } of source.certificates) {
    const now = domains.find((one) => one.source.name === domain)
    if (!now) {
      report.add('ssl', domain, 'not_possible', 'the certificate of a domain that does not come')
      continue
    }
    const sent = { certificate, private_key: key, ...(chain && { ca_bundle: chain }) }
    const problem = problemOf(sent, now.name, ctx.now)
    if (problem)
      report.add('ssl', now.name, 'changed', `a self-signed certificate until AutoSSL issues one: ${problem}`)
    else {
      const parsed = new X509Certificate(certificate)
      const kind = isRenewable(parsed) ? 'imported' : 'custom'
      const renewal = kind === 'imported' ? ', renewed by AutoSSL' : ''
      report.add('ssl', now.name, 'as_is', `certificate until ${endOf(parsed)}${renewal}`)
      planned.push({ domain: now.name, kind, sent })
    }
  }
  return planned
}

const endOf = ({ validTo }: X509Certificate): string => new Date(validTo).toISOString().slice(0, 10)

/** Issuers that hosting panels order from by themselves; other certificates were chosen by their owner. */
const automatic =
  /^(?:O=(?:Let's Encrypt|ZeroSSL(?: GmbH)?|Google Trust Services(?: LLC)?|cPanel\\?, (?:Inc\.|LLC|L\.L\.C\.)|Buypass AS-983163327)|CN=.*\b(?:Domain Validation|DV)\b.*)$/m
const MAX_AUTOMATIC_MS = 100 * day

/** Issued by an automatic authority, and for as short a time as those issue. */
const isRenewable = ({ issuer, validFrom, validTo }: X509Certificate): boolean =>
  automatic.test(issuer) && Date.parse(validTo) - Date.parse(validFrom) <= MAX_AUTOMATIC_MS

function problemOf(sent: Parameters<typeof validateUpload>[0], domain: string, now: number): string | undefined {
  try {
    validateUpload(sent, domain, now)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
