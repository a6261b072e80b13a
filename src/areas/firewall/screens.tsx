import type { Screen } from '../../web/kit/screen.ts'
import { firewallPage } from './views/firewall.tsx'

export const screens: readonly Screen[] = [
  {
    path: '/firewall',
    title: 'Firewall',
    shows: 'getFirewall',
    view: firewallPage,
    sections: { host: { run: 'getHost', quiet: true } },
    find: ['ports', 'nftables', 'iptables', 'ufw', 'csf'],
    add: { to: '/firewall/new', label: 'Add a rule' },
    acts: {
      confirmFirewall: {
        done: 'The change stays.',
        label: 'Keep the change',
        when: ({ data }) => data.revert_at !== undefined,
      },
      deleteFirewallRule: {
        done: 'The rule is gone. It comes back after a minute unless you keep the change.',
        label: 'Delete',
        subject: 'item',
      },
    },
  },
  {
    path: '/firewall/new',
    title: 'Add a rule',
    shows: 'addFirewallRule',
    startsFrom: 'Open a port',
    presets: [
      { label: 'Open a port', fields: { action: 'allow', proto: 'tcp' } },
      {
        label: 'Open a service for one network',
        fields: { action: 'allow', service: 'mysql', from: '203.0.113.0/24' },
      },
      { label: 'Close a service', fields: { action: 'deny', service: 'ftp' } },
    ],
    acts: {
      addFirewallRule: {
        done: 'The rule applies. It goes after a minute unless you keep the change.',
        label: 'Add a rule',
        to: '/firewall',
        primary: ['action', 'port', 'service', 'from', 'comment'],
      },
    },
  },
]
