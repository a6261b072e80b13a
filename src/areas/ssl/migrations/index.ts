import type { Migration } from '../../../store/migrate.ts'
import { sql as certificates } from './0013-certificates.ts'
import { sql as acme } from './0017-acme.ts'
import { sql as expiry } from './0048-certificate-expiry.ts'
import { sql as imported } from './0076-imported-certificates.ts'

export const migrations: readonly Migration[] = [
  { name: '0013-certificates', sql: certificates },
  { name: '0017-acme', sql: acme },
  { name: '0048-certificate-expiry', sql: expiry },
  { name: '0076-imported-certificates', sql: imported },
]
