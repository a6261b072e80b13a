import type { Screen, ViewContext } from '../../../web/kit/screen.ts'

const isSigned = ({ sections }: ViewContext): boolean => sections['dnssec']?.enabled === true

/** Programs pass it, to change what they have read. */
const omits = ['serial']

/** What holds for a zone as a whole. */
export const settingsScreen: Screen = {
  path: '/dns/{zone}/settings',
  title: 'Zone settings',
  shows: 'getDnsZone',
  hidden: ['domain_id'],
  sections: { dnssec: { run: 'getDnssec', title: 'DNSSEC' } },
  acts: {
    updateDnsZone: { done: 'Zone changed.', omits },
    enableDnssec: { done: 'DNSSEC is on.', label: 'Turn DNSSEC on', when: (view) => !isSigned(view) },
    disableDnssec: { done: 'DNSSEC is off.', label: 'Turn DNSSEC off', when: isSigned },
    resetDnsZone: {
      done: 'Zone reset.',
      label: 'Reset the zone',
      omits,
      confirm: ['All records are replaced by those of a new zone. Keys that sign mail stay.'],
    },
    deleteDnsZone: {
      done: 'Zone deleted.',
      label: 'Delete the zone',
      omits,
      confirm: ['All its records are deleted: the domain no longer resolves here.'],
      to: '/dns',
    },
  },
}
