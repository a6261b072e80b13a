import { changeDnsRecords } from './batch.ts'
import { createDnsZone } from './create.ts'
import { compareDnsZone, importDnsZone } from './import.ts'
import { createDnsRecord, deleteDnsRecord, getDnsRecord, listDnsRecords, updateDnsRecord } from './records.ts'
import { disableDnssec, enableDnssec, getDnssec } from './signing.ts'
import { deleteDnsZone, exportDnsZone, getDnsZone, listDnsZones, resetDnsZone, updateDnsZone } from './zones.ts'

export const dnsOperations = {
  listDnsZones,
  createDnsZone,
  getDnsZone,
  updateDnsZone,
  deleteDnsZone,
  resetDnsZone,
  exportDnsZone,
  importDnsZone,
  compareDnsZone,
  listDnsRecords,
  createDnsRecord,
  getDnsRecord,
  updateDnsRecord,
  deleteDnsRecord,
  changeDnsRecords,
  getDnssec,
  enableDnssec,
  disableDnssec,
}
