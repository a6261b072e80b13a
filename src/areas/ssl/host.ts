import type { HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { fileOf } from '../domains/names.ts'
import { filesOf } from './acme/challenges.ts'
import { purposes } from './sealed.ts'
import { certificatesOf } from './store.ts'

/** The certificates and keys for the account's web server. */
export const tlsHost = (db: Db, { id }: FullAccount, runtime: Pick<Runtime, 'unseal'>): HostParts['tls'] => ({
  challenges: filesOf(db, id),
  certificates: certificatesOf(db, id).map(({ name, certificate, ca_bundle, private_key }) => ({
    file: fileOf(name),
    certificatePem: certificate + ca_bundle,
    keyPem: runtime.unseal(purposes.certificate, private_key),
  })),
})
