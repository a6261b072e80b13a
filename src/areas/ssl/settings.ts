import { invalid } from '../../contract/problem.ts'
import { getSetting, type Settings } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'
import { addressProblem } from './acme/url.ts'
import { certificateOf } from './certificate.ts'
import { blocksOf } from './pem.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Null: no certificates are issued. */
    acme_directory_url: string | null
    acme_contact_email: string | null
    /** PEM certificates to trust at the authority's URL, instead of Node's. */
    acme_ca: string | null
    autossl_default: boolean
  }
}

export const settings = {
  acme_directory_url: null,
  acme_contact_email: null,
  acme_ca: null,
  autossl_default: true,
} as const

/** The configured authority's directory. */
export const directoryOf = (db: Db): string | undefined => getSetting(db, 'acme_directory_url') ?? undefined

export const isAutosslDefault = (db: Db): boolean => getSetting(db, 'autossl_default') ?? settings.autossl_default

export function refuseSettings({ acme_directory_url, acme_ca }: Partial<Settings>): void {
  const problem = typeof acme_directory_url === 'string' ? addressProblem(acme_directory_url) : undefined
  if (problem) throw invalid('acme_directory_url', problem)
  if (typeof acme_ca === 'string') refuseCa(acme_ca)
}

function refuseCa(pem: string): void {
  for (const [at, { label, der }] of blocksOf('acme_ca', pem).entries())
    if (label !== 'CERTIFICATE' || !certificateOf(der)) throw invalid('acme_ca', `block ${at + 1} is not a certificate`)
}
