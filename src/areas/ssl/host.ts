import type { HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { mailLabelsOf } from '../domains/mail-names.ts'
import { fileOf } from '../domains/names.ts'
import { domainById } from '../domains/store.ts'
import { filesOf } from './acme/challenges.ts'
import { covers } from './certificate.ts'
import { purposes } from './sealed.ts'
import { certificatesOf, type FullCertificate, provesNames } from './store.ts'

type Composed = Pick<Runtime, 'unseal' | 'areas' | 'hostname'>

/** Whether the mail servers show it under the domain's name for mail. */
function isOfMail(db: Db, row: FullCertificate, runtime: Composed): boolean {
  if (!provesNames(row) || !covers(row.domains, `mail.${row.name}`)) return false
  return mailLabelsOf(runtime, db, domainById(db, row.domain_id)!).includes('mail')
}

/** The certificates and keys for the account's web server. */
export const tlsHost = (db: Db, { id }: FullAccount, runtime: Composed): HostParts['tls'] => ({
  challenges: filesOf(db, id),
  certificates: certificatesOf(db, id).map((row) => ({
    file: fileOf(row.name),
    certificatePem: row.certificate + row.ca_bundle,
    keyPem: runtime.unseal(purposes.certificate, row.private_key),
    ...(isOfMail(db, row, runtime) && { mail: true }),
  })),
})
