import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { undoing } from './views/changes.ts'
import { zoneEditor } from './views/editor.tsx'
import { domainsWithoutZone, newZonePage, zonesAndDomains, zonesPage } from './views/new-zone.tsx'
import { newRecord, oneRecord } from './views/record.tsx'
import { fieldNamesOf } from './views/record-fields.ts'
import { settingsScreen } from './views/settings-screen.ts'
import { stages, touched } from './views/staged-edits.ts'
import { compared, comparing, undoneText, zoneText } from './views/text.tsx'

const [zones, newZone] = crud('listDnsZones', {
  path: '/dns',
  title: 'DNS zones',
  one: 'DNS zone',
  member: 'zone',
  name: 'name',
  nav: { group: 'main', order: 20, label: 'DNS' },
  find: ['record', 'nameserver', 'mx', 'txt', 'cname'],
  empty: 'A zone holds the DNS records of a domain.',
  views: { list: zonesPage },
})

const recordColumns = ['name', 'type', 'value', 'ttl', 'managed'] as const

export const screens: readonly Screen[] = [
  { ...zones!, sections: zonesAndDomains },
  {
    ...newZone!,
    view: newZonePage,
    startsWith: (view) => ({ domain_id: domainsWithoutZone(view)[0]?.id }),
    sections: zonesAndDomains,
  },
  {
    path: '/dns/{zone}',
    title: 'DNS records',
    one: 'record',
    shows: 'listDnsRecords',
    view: zoneEditor,
    columns: recordColumns,
    to: '/dns/{zone}/records/{id}',
    asks: (query) => (query.has('per_page') ? {} : { per_page: '200' }),
    sections: { touched: { run: 'getDnsRecord', each: touched } },
    acts: { changeDnsRecords: { done: 'Zone saved.', label: 'Save', only: [], staging: stages, undo: undoing } },
    empty: 'The zone has no records.',
  },
  {
    path: '/dns/{zone}/new',
    title: 'Add a record',
    shows: 'createDnsRecord',
    view: newRecord,
    sections: {
      exchangers: { run: 'listDnsRecords', query: { type: 'MX' } },
      senders: { run: 'listDnsRecords', query: { type: 'TXT', q: 'v=spf1' } },
      discovery: { run: 'listDnsRecords', query: { q: 'autodiscover' } },
    },
    acts: { createDnsRecord: { done: 'Record added.', label: 'Add the record', to: '/dns/{zone}' } },
  },
  {
    path: '/dns/{zone}/records/{record}',
    title: 'Record',
    shows: 'getDnsRecord',
    hidden: ['zone_id'],
    view: oneRecord,
    acts: {
      updateDnsRecord: { done: 'Record changed.', only: fieldNamesOf, to: '/dns/{zone}' },
      deleteDnsRecord: { done: 'Record deleted.', label: 'Delete the record', to: '/dns/{zone}' },
    },
  },
  {
    path: '/dns/{zone}/text',
    title: 'Zone as text',
    shows: 'exportDnsZone',
    view: zoneText,
    sections: { difference: { run: 'compareDnsZone', sends: compared } },
    acts: {
      importDnsZone: {
        done: 'Zone saved.',
        label: 'Save',
        only: [],
        staging: comparing,
        undo: undoneText,
        to: '/dns/{zone}',
      },
    },
  },
  settingsScreen,
]
