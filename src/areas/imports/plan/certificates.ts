import { X509Certificate } from 'node:crypto'
import { validateUpload } from '../../ssl/validate-upload.ts'
import type { PlannedDomain } from './domains.ts'
import { type Planning, skips } from './planning.ts'

export interface PlannedCertificate {
  readonly domain: string
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
      report.add('ssl', now.name, 'as_is', `certificate until ${endOf(certificate)}`)
      planned.push({ domain: now.name, sent })
    }
  }
  return planned
}

const endOf = (certificate: string): string =>
  new Date(new X509Certificate(certificate).validTo).toISOString().slice(0, 10)

function problemOf(sent: Parameters<typeof validateUpload>[0], domain: string, now: number): string | undefined {
  try {
    validateUpload(sent, domain, now)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
