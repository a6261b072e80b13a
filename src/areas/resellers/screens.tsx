import type { Privilege } from '../../contract/common.ts'
import { crud } from '../../web/kit/crud.ts'
import { t } from '../../web/kit/i18n/i18n.ts'
import { accountsWith } from '../../web/kit/lists/accounts-with.tsx'
import type { Screen } from '../../web/kit/screen.ts'
import { brandPage } from './views/brand.tsx'

const support: readonly Privilege[] = ['list-accts', 'passwd', 'create-user-session', 'suspend-acct']
const selling: readonly Privilege[] = [
  ...support,
  'create-acct',
  'kill-acct',
  'edit-account',
  'upgrade-account',
  'list-pkgs',
  'add-pkg',
  'edit-pkg',
  'allow-addoncreate',
  'allow-parkedcreate',
  // The pages of an account offer to create them.
  'mysql-info',
]

const suspended = ({ data }: { data: { suspended?: boolean } }): boolean => data.suspended === true

const fields = ['name', 'accent', 'support_url', 'hostname'].map((name) => `brand.${name}`)
const saved = { done: 'Brand changed.' }
const sent = { done: 'Logo changed.', label: 'Upload the logo', upload: () => ({ query: {}, headers: {} }) }
const removed = { done: 'Logo deleted.', label: 'Delete the logo', confirm: ['Pages show the name alone.'] }

/** The account stays, so it is not deleted. */
function withRemoval(screen: Screen): Screen {
  const { removeReseller: removal } = screen.acts ?? {}
  const words = { label: 'Remove the reseller status', done: 'Reseller status removed.' }
  return removal ? { ...screen, acts: { ...screen.acts, removeReseller: { ...removal, ...words } } } : screen
}

export const screens: readonly Screen[] = [
  ...crud('listResellers', {
    path: '/resellers',
    title: 'Resellers',
    one: 'reseller',
    member: 'account',
    name: 'username',
    nav: { group: 'main', order: 30, beside: ['/acls'] },
    find: ['privileges', 'white label'],
    looks: { account_count: accountsWith('owner_id') },
    columns: ['username', 'main_domain', 'account_count', 'max_accounts', 'suspended', 'created_at'],
    empty: 'A reseller owns accounts, and may do with them what its privileges allow.',
    add: 'Make an account a reseller',
    // Its form has them.
    hidden: [
      'username',
      'nameservers',
      'disk_granted_mb',
      'bw_granted_mb',
      'max_accounts',
      'max_disk_mb',
      'max_bw_mb',
      'updated_at',
    ],
    primary: (typed) => [
      'account_id',
      ...(typed?.get('acl') === '' ? ['acl_id'] : []),
      ...['max_accounts', 'max_disk_mb', 'max_bw_mb'],
    ],
    startsFrom: 'Sells hosting',
    edits: ['max_accounts', 'max_disk_mb', 'max_bw_mb', 'nameservers'],
    presets: [
      { label: 'Sells hosting', fields: { acl: selling } },
      { label: 'Support only', fields: { acl: support } },
      { label: 'Full', fields: { acl: ['all'] } },
      { label: 'From a privilege list', fields: { acl: '' } },
    ],
    keeps: ({ data: { account_count } }) =>
      account_count > 0 ? t('It remains a reseller while it owns accounts: give them another owner first.') : undefined,
    deletes: ['The account itself stays.'],
    acts: {
      setResellerAcl: { done: 'Privileges changed.', label: 'Save the privileges', title: 'Privileges' },
      suspendReseller: { done: 'Reseller suspended.', label: 'Suspend', when: (view) => !suspended(view) },
      unsuspendReseller: { done: 'Reseller unsuspended.', label: 'Unsuspend', when: suspended },
    },
  }).map(withRemoval),
  ...crud('listAcls', {
    path: '/acls',
    title: 'Privilege lists',
    one: 'privilege list',
    member: 'acl',
    name: 'name',
    find: ['acl', 'privileges'],
    empty: 'A privilege list is a named set of what resellers may do.',
  }),
  {
    path: '/brand',
    title: 'Brand',
    shows: 'getBrand',
    view: brandPage,
    nav: { group: 'server', order: 80 },
    find: ['logo', 'name', 'colour', 'white label', 'support'],
    acts: {
      updateSettings: { ...saved, only: fields },
      updateReseller: { ...saved, only: [...fields, 'nameservers'], primary: fields },
      setServerLogo: sent,
      setBrandLogo: sent,
      deleteServerLogo: removed,
      deleteBrandLogo: removed,
    },
  },
]
