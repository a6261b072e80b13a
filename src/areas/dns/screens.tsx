import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { undoing } from './views/changes.ts'
import { zoneEditor } from './views/editor.tsx'
import { stages, touched } from './views/stages.ts'
import { zoneText } from './views/text.tsx'

const [zones, newZone] = crud('listDnsZones', {
  path: '/dns',
  title: 'DNS zones',
  one: 'DNS zone',
  member: 'zone',
  name: 'name',
  nav: { group: 'main', order: 20, label: 'DNS' },
  find: ['record', 'nameserver', 'mx', 'txt', 'cname'],
  empty: 'A zone holds the DNS records of a domain.',
})

const recordColumns = ['name', 'type', 'value', 'ttl', 'managed'] as const

export const screens: readonly Screen[] = [
  zones!,
  newZone!,
  {
    path: '/dns/{zone}',
    of: 'account',
    title: 'DNS records',
    one: 'record',
    shows: 'listDnsRecords',
    view: zoneEditor,
    columns: recordColumns,
    to: '/dns/{zone}/records/{id}',
    asks: (query) => (query.has('per_page') ? {} : { per_page: '200' }),
    also: { touched: { run: 'getDnsRecord', each: touched } },
    acts: { changeDnsRecords: { done: 'Zone saved.', label: 'Save', only: [], stages, undo: undoing } },
    empty: 'The zone has no records.',
  },
  {
    path: '/dns/{zone}/new',
    of: 'account',
    title: 'Add a record',
    shows: 'createDnsRecord',
    acts: { createDnsRecord: { done: 'Record added.', label: 'Add the record', to: '/dns/{zone}' } },
  },
  {
    path: '/dns/{zone}/records/{record}',
    of: 'account',
    title: 'Record',
    shows: 'getDnsRecord',
    hidden: ['zone_id'],
    acts: {
      updateDnsRecord: { done: 'Record changed.', label: 'Save', to: '/dns/{zone}' },
      deleteDnsRecord: { done: 'Record deleted.', label: 'Delete the record', to: '/dns/{zone}' },
    },
  },
  {
    path: '/dns/{zone}/text',
    of: 'account',
    title: 'Zone as text',
    shows: 'exportDnsZone',
    view: zoneText,
    acts: { importDnsZone: { done: 'Zone imported.', label: 'Import', to: '/dns/{zone}' } },
  },
  {
    path: '/dns/{zone}/settings',
    of: 'account',
    title: 'Zone settings',
    shows: 'getDnsZone',
    hidden: ['domain_id'],
    also: { dnssec: { run: 'getDnssec', title: 'DNSSEC' } },
    acts: {
      updateDnsZone: { done: 'Zone changed.', label: 'Save' },
      enableDnssec: { done: 'DNSSEC is on.', label: 'Turn DNSSEC on' },
      disableDnssec: { done: 'DNSSEC is off.', label: 'Turn DNSSEC off' },
      resetDnsZone: {
        done: 'Zone reset.',
        label: 'Reset the zone',
        confirm: ['All records are replaced by those of a new zone. Keys that sign mail stay.'],
      },
      deleteDnsZone: {
        done: 'Zone deleted.',
        label: 'Delete the zone',
        confirm: ['All its records are deleted: the domain no longer resolves here.'],
        to: '/dns',
      },
    },
  },
]
