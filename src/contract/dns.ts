import { z } from 'zod'
import { recordTypes } from '../shared/zone/record.ts'
import { component, Id, Millis, pageOf, paging, search } from './common.ts'
import { operation } from './operation.ts'

const Serial = z.int().min(0).max(4_294_967_295)
const Ttl = z.int().min(60).max(86_400)

export const Zone = component(
  'Zone',
  z.strictObject({
    id: Id,
    name: z.string(),
    domain_id: Id,
    serial: Serial.describe('Rises with each change'),
    applied_serial: Serial.optional().describe('On the host'),
    ttl: Ttl.describe('For records without a TTL of their own, in seconds'),
    refresh: z.int(),
    retry: z.int(),
    expire: z.int(),
    minimum: z.int().describe('How long resolvers may cache that a name does not exist'),
    nameservers: z.array(z.string()),
    record_count: z.int().min(0),
    dnssec: z.boolean().describe('Whether it is signed'),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const Number16 = z.int().min(0).max(65_535)
const data = {
  priority: Number16.optional().describe('Of MX, SRV, HTTPS, SVCB and URI'),
  weight: Number16.optional().describe('Of SRV and URI'),
  port: Number16.optional().describe('Of SRV'),
  flags: z.int().min(0).max(255).optional().describe('Of CAA: 0 or 128'),
  tag: z.string().max(32).optional().describe('Of CAA: letters and digits, such as issue, issuewild or iodef'),
}

const fields = {
  name: z.string().describe('Relative to the zone; `@` is the zone itself'),
  type: z.enum(recordTypes),
  ttl: Ttl.optional().describe("In seconds; absent: the zone's"),
  value: z.string().describe('An address, a host without the final dot, or the text itself'),
  ...data,
}
const FileRecord = z.strictObject(fields)

export const DnsRecord = component(
  'DnsRecord',
  z.strictObject({
    id: Id,
    zone_id: Id,
    ...fields,
    managed: z
      .boolean()
      .describe("Written by the panel: it follows the account's IP address until somebody changes the record"),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const serial = {
  serial: Serial.optional().describe('Change it only if this is still its serial'),
}
const inputs = {
  name: z.string().max(1_024).describe('`@`, relative to the zone, or absolute'),
  value: z.string().max(20_000).describe('An address, a host, or the text itself; `@` is the zone as a host'),
  ttl: Ttl.nullable().optional().describe("In seconds; null: the zone's"),
  ...data,
}
const NewRecord = z.strictObject({ ...inputs, type: z.enum(recordTypes) })
const optional = { ...inputs, name: inputs.name.optional(), value: inputs.value.optional() }
const ChangedRecord = z.strictObject({ id: Id, ...optional })

const jobId = Id.describe('The job that applies the change')
const ZoneAccepted = component('ZoneAccepted', z.strictObject({ zone: Zone, job_id: jobId }))
const RecordAccepted = component(
  'DnsRecordAccepted',
  z.strictObject({ record: DnsRecord, serial: Serial, job_id: jobId }),
)

const Dnssec = component(
  'Dnssec',
  z.strictObject({
    enabled: z.boolean(),
    dnskey: z.string().optional().describe("Data of the zone's DNSKEY record"),
    ds: z
      .array(
        z.strictObject({
          key_tag: z.int(),
          algorithm: z.int(),
          digest_type: z.int(),
          digest: z.string(),
          record: z.string().describe('As a line of a zone file'),
        }),
      )
      .describe('What to enter at the registrar of the domain'),
  }),
)

export const maxChanges = 500
/** Of a zone. */
export const maxRecords = 10_000
export const MAX_ZONE_FILE_BYTES = 8 * 1024 * 1024

const account = { id: Id.describe('The account') }
const zone = { ...account, zid: Id.describe('The zone') }
const record = { ...zone, rid: Id.describe('The record') }

const area = 'dns'
const token = { admin: ['accounts'], account: 'dns' } as const
const by = <const P extends string>(reseller: P) => ({ allow: { reseller, customer: true as const }, token })
const editor = { feature: 'zone_edit' } as const
const ended = ['job.completed', 'job.failed'] as const
const changed = ['dns.record.deleted', 'dns.record.updated', 'dns.record.created', ...ended] as const
const guarded = 'serial-mismatch'

const zoneColumns = ['name', 'serial', 'applied_serial', 'record_count', 'dnssec'] as const
const recordColumns = [
  'id',
  'name',
  'type',
  'value',
  'priority',
  'weight',
  'port',
  'flags',
  'tag',
  'ttl',
  'managed',
] as const
const example = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

const cli = <const W extends string>(verb: W, more: string) => ({
  words: ['dns', verb] as const,
  variant: 'account' as const,
  examples: [`panel dns ${verb} ${more}`] as const,
})

export const listDnsZones = operation({
  id: 'listDnsZones',
  method: 'get',
  path: '/accounts/{id}/dns/zones',
  area,
  summary: "List an account's zones",
  params: z.strictObject(account),
  query: z.strictObject({ ...paging, q: search('name') }),
  status: 200,
  answer: pageOf(Zone),
  ...by('edit-dns'),
  cli: { ...cli('list', '-a alice'), columns: zoneColumns },
})

export const createDnsZone = operation({
  id: 'createDnsZone',
  method: 'post',
  path: '/accounts/{id}/dns/zones',
  area,
  summary: 'Create the zone of a domain that has none',
  description: 'With the records of the template. Subdomains have no zone of their own.',
  params: z.strictObject(account),
  body: component('CreateDnsZone', z.strictObject({ domain_id: Id.describe('The domain') })),
  status: 202,
  answer: ZoneAccepted,
  job: 'dns.zone.create',
  emits: ['dns.zone.created', ...ended],
  problems: ['exists'],
  ...by('create-dns'),
  ...editor,
  cli: { ...cli('create', '-a alice --domain shop.example'), columns: zoneColumns, show: 'zone' },
})

export const getDnsZone = operation({
  id: 'getDnsZone',
  method: 'get',
  path: '/accounts/{id}/dns/zones/{zid}',
  area,
  summary: 'Show a zone',
  params: z.strictObject(zone),
  status: 200,
  answer: Zone,
  ...by('edit-dns'),
  cli: { ...cli('show', 'shop.example'), columns: zoneColumns },
})

export const updateDnsZone = operation({
  id: 'updateDnsZone',
  method: 'patch',
  path: '/accounts/{id}/dns/zones/{zid}',
  area,
  summary: "Change a zone's times",
  params: z.strictObject(zone),
  body: component(
    'UpdateDnsZone',
    z.strictObject({
      ttl: Ttl.optional().describe('For records without a TTL of their own, in seconds'),
      refresh: z.int().min(300).max(86_400).optional(),
      retry: z.int().min(60).max(86_400).optional().describe('In seconds; at most refresh'),
      expire: z.int().min(86_400).max(2_419_200).optional().describe('In seconds; more than refresh'),
      minimum: z.int().min(60).max(86_400).optional(),
      ...serial,
    }),
  ),
  status: 202,
  answer: ZoneAccepted,
  job: 'dns.zone.update',
  emits: ['dns.record.created', ...ended],
  problems: [guarded],
  ...by('edit-dns'),
  ...editor,
  cli: { ...cli('update', 'shop.example --ttl 300'), columns: zoneColumns, show: 'zone' },
})

export const deleteDnsZone = operation({
  id: 'deleteDnsZone',
  method: 'delete',
  path: '/accounts/{id}/dns/zones/{zid}',
  area,
  summary: 'Delete a zone and its records',
  params: z.strictObject(zone),
  query: z.strictObject(serial),
  status: 202,
  answer: ZoneAccepted,
  job: 'dns.zone.delete',
  emits: ['dns.zone.deleted', ...ended],
  problems: ['in-use', guarded],
  ...by('kill-dns'),
  cli: { ...cli('delete', 'shop.example'), columns: zoneColumns, show: 'zone', confirm: 'yes' },
})

export const resetDnsZone = operation({
  id: 'resetDnsZone',
  method: 'post',
  path: '/accounts/{id}/dns/zones/{zid}/reset',
  area,
  summary: "Replace a zone's records with those of the template",
  params: z.strictObject(zone),
  body: component('ResetDnsZone', z.strictObject(serial)),
  status: 202,
  answer: ZoneAccepted,
  job: 'dns.zone.reset',
  emits: ['dns.zone.reset', ...ended],
  problems: [guarded],
  ...by('edit-dns'),
  ...editor,
  cli: { ...cli('reset', 'shop.example'), columns: zoneColumns, show: 'zone', confirm: 'yes' },
})

export const exportDnsZone = operation({
  id: 'exportDnsZone',
  method: 'get',
  path: '/accounts/{id}/dns/zones/{zid}/export',
  area,
  summary: 'Export a zone as a zone file',
  params: z.strictObject(zone),
  status: 200,
  answer: component('ExportedZone', z.strictObject({ name: z.string(), serial: Serial, zone_file: z.string() })),
  ...by('edit-dns'),
  cli: { ...cli('export', 'shop.example > shop.zone'), show: 'zone_file' },
})

const ZoneFile = z
  .string()
  .max(MAX_ZONE_FILE_BYTES)
  .describe('Text of the zone file; on the command line its path, or - for standard input')
const Skipped = z.strictObject({ line: z.int().min(1), reason: z.string() })
const Warning = z.strictObject({
  line: z.int().min(1).optional().describe('Absent: about a record that the file does not have'),
  reason: z.string(),
})
const fileColumns = ['line', 'reason'] as const

export const importDnsZone = operation({
  id: 'importDnsZone',
  method: 'post',
  path: '/accounts/{id}/dns/zones/{zid}/import',
  area,
  summary: 'Import a zone file',
  description:
    'At most 2,000 records may change; the command line sends a larger merge in parts. SOA, the NS records of the zone itself, what signs it and types that are not served are left out. TTLs are brought into range, and those of a set made equal. Records of the template give way to those of the file. With `replace`, records that the file does not have are deleted, except the keys that sign mail.',
  params: z.strictObject(zone),
  body: component(
    'ImportDnsZone',
    z.strictObject({
      zone_file: ZoneFile,
      mode: z.enum(['merge', 'replace']).default('merge'),
      ttl: Ttl.optional().describe('Of all its records, whatever the file says'),
      ...serial,
    }),
  ),
  status: 202,
  answer: component(
    'ImportedZone',
    z.strictObject({
      zone: Zone,
      created: z.int().min(0),
      deleted: z.int().min(0),
      unchanged: z.int().min(0),
      skipped: z.array(Skipped).describe('Lines that were left out'),
      warnings: z.array(Warning).describe('Records that were imported with a change, or that stay or give way'),
      job_id: jobId,
    }),
  ),
  job: 'dns.zone.update',
  emits: ['dns.record.deleted', 'dns.record.created', ...ended],
  problems: ['too-many', guarded],
  room: 'zone',
  ...by('edit-dns'),
  ...editor,
  cli: {
    ...cli('import', 'shop.example shop.zone'),
    examples: ['panel dns import shop.example shop.zone', 'panel dns import other.example - --mode replace'],
    args: ['zone_file'],
    file: 'zone_file',
    confirm: 'yes',
    confirmWhen: {
      field: 'mode',
      value: 'replace',
      question: 'Replace the records of {} with those of the file',
      differs: '/accounts/{id}/dns/zones/{zid}/compare',
    },
    inParts: {
      file: 'zone_file',
      zone: '/accounts/{id}/dns/zones/{zid}',
      only: { field: 'mode', value: 'merge' },
    },
    columns: ['zone.name', 'zone.serial', 'created', 'deleted', 'unchanged'],
    sections: [
      { field: 'warnings', columns: fileColumns },
      { field: 'skipped', columns: fileColumns },
    ],
  },
})

export const compareDnsZone = operation({
  id: 'compareDnsZone',
  method: 'post',
  path: '/accounts/{id}/dns/zones/{zid}/compare',
  area,
  summary: 'Compare a zone with a zone file',
  description: 'Shows what an import with `replace` would do to its records. Nothing is changed.',
  params: z.strictObject(zone),
  body: component('CompareDnsZone', z.strictObject({ zone_file: ZoneFile })),
  status: 200,
  answer: component(
    'ZoneDifference',
    z.strictObject({
      serial: Serial,
      created: z.array(FileRecord),
      deleted: z.array(DnsRecord),
      unchanged: z.int().min(0),
      skipped: z.array(Skipped),
      warnings: z.array(Warning),
    }),
  ),
  problems: ['too-many'],
  room: 'zone',
  ...by('edit-dns'),
  ...editor,
  cli: {
    ...cli('compare', 'shop.example shop.zone'),
    args: ['zone_file'],
    file: 'zone_file',
    columns: ['serial', 'unchanged'],
    sections: [
      { field: 'created', columns: ['name', 'type', 'value', 'ttl'] },
      { field: 'deleted', columns: ['name', 'type', 'value', 'ttl'] },
      { field: 'warnings', columns: fileColumns },
      { field: 'skipped', columns: fileColumns },
    ],
  },
})

export const listDnsRecords = operation({
  id: 'listDnsRecords',
  method: 'get',
  path: '/accounts/{id}/dns/zones/{zid}/records',
  area,
  summary: "List a zone's records",
  params: z.strictObject(zone),
  query: z.strictObject({
    ...paging,
    q: search('name or the value'),
    type: z.enum(recordTypes).optional().describe('Only records of this type'),
    managed: z.boolean().optional().describe('Only records that the panel manages, or only others'),
  }),
  status: 200,
  answer: z.strictObject({
    items: z.array(DnsRecord),
    total: z.int().min(0).describe('Matches on all pages'),
    serial: Serial,
  }),
  ...by('manage-dns-records'),
  cli: { ...cli('records', 'shop.example'), columns: recordColumns },
})

export const createDnsRecord = operation({
  id: 'createDnsRecord',
  method: 'post',
  path: '/accounts/{id}/dns/zones/{zid}/records',
  area,
  summary: 'Add a record to a zone',
  description:
    "It takes the place of the panel's own records for mail programs: `autoconfig`, `autodiscover`, `_autodiscover._tcp`.",
  params: z.strictObject(zone),
  body: component('CreateDnsRecord', z.strictObject({ ...NewRecord.shape, ...serial })),
  status: 202,
  answer: RecordAccepted,
  job: 'dns.zone.update',
  emits: ['dns.record.deleted', 'dns.record.created', ...ended],
  problems: ['exists', 'in-use', 'too-many', guarded],
  ...by('manage-dns-records'),
  ...editor,
  cli: {
    ...cli('add-record', 'shop.example www A 192.0.2.9'),
    args: ['name', 'type', 'value'],
    columns: recordColumns,
    show: 'record',
  },
})

export const getDnsRecord = operation({
  id: 'getDnsRecord',
  method: 'get',
  path: '/accounts/{id}/dns/zones/{zid}/records/{rid}',
  area,
  summary: 'Show a record',
  params: z.strictObject(record),
  status: 200,
  answer: DnsRecord,
  ...by('manage-dns-records'),
  cli: { ...cli('show-record', `shop.example ${example}`), columns: recordColumns },
})

export const updateDnsRecord = operation({
  id: 'updateDnsRecord',
  method: 'patch',
  path: '/accounts/{id}/dns/zones/{zid}/records/{rid}',
  area,
  summary: 'Change a record',
  description: "A record that the panel wrote becomes the caller's own.",
  params: z.strictObject(record),
  body: component('UpdateDnsRecord', z.strictObject({ ...optional, ...serial })),
  status: 202,
  answer: RecordAccepted,
  job: 'dns.zone.update',
  emits: changed,
  problems: ['exists', 'in-use', guarded],
  ...by('manage-dns-records'),
  ...editor,
  cli: {
    ...cli('update-record', `shop.example ${example} --value 192.0.2.10`),
    columns: recordColumns,
    show: 'record',
  },
})

export const deleteDnsRecord = operation({
  id: 'deleteDnsRecord',
  method: 'delete',
  path: '/accounts/{id}/dns/zones/{zid}/records/{rid}',
  area,
  summary: 'Delete a record',
  params: z.strictObject(record),
  query: z.strictObject(serial),
  status: 202,
  answer: RecordAccepted,
  job: 'dns.zone.update',
  emits: ['dns.record.deleted', 'dns.record.created', ...ended],
  problems: ['in-use', guarded],
  ...by('manage-dns-records'),
  cli: {
    ...cli('delete-record', `shop.example ${example}`),
    columns: recordColumns,
    show: 'record',
    confirm: 'yes',
  },
})

export const changeDnsRecords = operation({
  id: 'changeDnsRecords',
  method: 'post',
  path: '/accounts/{id}/dns/zones/{zid}/changes',
  area,
  summary: 'Change many records at once',
  description: `All changes or none, with one serial: first deletions, then updates, then creations; ${maxChanges} records at most.`,
  params: z.strictObject(zone),
  body: component(
    'ChangeDnsRecords',
    z.strictObject({
      delete: z.array(Id).max(maxChanges).optional().describe('Ids of records to delete'),
      update: z.array(ChangedRecord).max(maxChanges).optional().describe('Records to change, by id'),
      create: z.array(NewRecord).max(maxChanges).optional().describe('Records to add'),
      ...serial,
    }),
  ),
  status: 202,
  answer: component(
    'ChangedDnsRecords',
    z.strictObject({
      zone: Zone,
      deleted: z.array(Id),
      updated: z.array(DnsRecord),
      created: z.array(DnsRecord),
      job_id: jobId,
    }),
  ),
  job: 'dns.zone.update',
  emits: [...changed],
  problems: ['exists', 'in-use', 'too-many', guarded],
  ...by('manage-dns-records'),
  ...editor,
  cli: { ...cli('change', 'shop.example --data -'), columns: zoneColumns, show: 'zone' },
})

const signing = {
  status: 202,
  answer: component('DnssecAccepted', z.strictObject({ dnssec: Dnssec, job_id: jobId })),
} as const
const signer = { ...by('edit-dns'), feature: 'dnssec', job: 'dns.zone.update', emits: [...ended] } as const
const dnssecColumns = ['enabled', 'dnskey', 'ds'] as const

export const getDnssec = operation({
  id: 'getDnssec',
  method: 'get',
  path: '/accounts/{id}/dns/zones/{zid}/dnssec',
  area,
  summary: 'Show how a zone is signed',
  params: z.strictObject(zone),
  status: 200,
  answer: Dnssec,
  ...by('edit-dns'),
  cli: { ...cli('dnssec', 'shop.example'), columns: dnssecColumns },
})

export const enableDnssec = operation({
  id: 'enableDnssec',
  method: 'post',
  path: '/accounts/{id}/dns/zones/{zid}/dnssec',
  area,
  summary: 'Sign a zone',
  description: 'Enter the DS record of the answer at the registrar of the domain.',
  params: z.strictObject(zone),
  ...signing,
  ...signer,
  cli: { ...cli('enable-dnssec', 'shop.example'), columns: dnssecColumns, show: 'dnssec' },
})

export const disableDnssec = operation({
  id: 'disableDnssec',
  method: 'delete',
  path: '/accounts/{id}/dns/zones/{zid}/dnssec',
  area,
  summary: 'Stop signing a zone, and forget its key',
  description: 'Remove the DS record at the registrar first, and wait until it has expired everywhere.',
  params: z.strictObject(zone),
  ...signing,
  ...by('edit-dns'),
  job: 'dns.zone.update',
  emits: [...ended],
  cli: { ...cli('disable-dnssec', 'shop.example'), columns: dnssecColumns, show: 'dnssec', confirm: 'yes' },
})
