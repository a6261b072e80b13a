import { crud } from '../../web/kit/crud.ts'
import { t } from '../../web/kit/i18n/i18n.ts'
import type { Screen } from '../../web/kit/screen.ts'

/** The node of the panel's own machine. */
const LOCAL_NODE = 'local'

export const screens: readonly Screen[] = [
  ...crud('listNodes', {
    path: '/nodes',
    title: 'Nodes',
    one: 'node',
    member: 'node',
    name: 'name',
    nav: { group: 'server', order: 15, beside: ['/nodes/placement', '/dns-peers'] },
    find: ['hosts', 'machines', 'fleet'],
    empty: 'A node is a machine that accounts are on. Add one, then run the line that you get on that machine.',
    keeps: ({ data: { name, accounts } }) =>
      name === LOCAL_NODE
        ? t('The panel itself runs on this node: it cannot be deleted.')
        : accounts > 0
          ? t('It can be deleted once it has no accounts.')
          : undefined,
    deletes: [
      'Its link is cut, and its certificate is worth nothing from then on.',
      'Nothing on the machine itself is changed.',
    ],
    acts: {
      updateNode: {
        done: 'Node changed.',
        label: 'Change the node',
        value: (node) => ({ ...node, lost: false }),
        primary: ['roles', 'labels', 'addresses', 'state'],
        confirm: [
          'While it has accounts, a node keeps the roles Web, Databases and Mail.',
          'Retiring a node revokes its certificate. It must have no accounts, unless its machine is lost: see "More options".',
        ],
      },
      drainNode: {
        done: 'The node takes no new accounts.',
        label: 'Take no new accounts',
        when: ({ data }) => data.state === 'active',
      },
      activateNode: {
        done: 'The node takes new accounts.',
        label: 'Take new accounts',
        when: ({ data }) => data.state === 'draining',
      },
      revokeNode: {
        done: 'The certificate is revoked: the node can connect again once it has rejoined.',
        label: 'Revoke the certificate',
        when: ({ data }) => data.certificate_expires_at !== undefined,
      },
    },
  }),
  {
    path: '/nodes/placement',
    title: 'Where new accounts go',
    shows: 'getPlacement',
    empty: 'Here is how much room each node has for new accounts. Nodes are added on the page "Nodes".',
  },
  ...crud('listDnsPeers', {
    path: '/dns-peers',
    title: 'Name servers that take all zones',
    one: 'name server',
    member: 'peer',
    name: 'name',
    find: ['secondary', 'dns', 'catalog'],
    empty:
      'A name server elsewhere answers for your zones while this server is down. Add one, and it takes all zones by itself.',
    deletes: ['Its key stops working. The name server answers with the zones it has until they expire.'],
  }),
]
