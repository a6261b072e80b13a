import { z } from 'zod'
import { Brand } from './brand.ts'
import {
  Count,
  component,
  Hostname,
  Id,
  listOf,
  Millis,
  Name,
  pageOf,
  paging,
  privilegeNames,
  search,
} from './common.ts'
import { operation } from './operation.ts'

const Acl = z.array(z.enum(privilegeNames)).max(privilegeNames.length).describe('What it may do')
const limits = {
  max_accounts: Count.describe('Accounts it may own'),
  max_disk_mb: Count.describe('Total disk space of its accounts, in MB'),
  max_bw_mb: Count.describe('Total monthly bandwidth of its accounts, in MB'),
}

/** An account that can own accounts. `id` is the account's. */
export const Reseller = component(
  'Reseller',
  z.strictObject({
    id: Id.describe("The account's id"),
    username: z.string(),
    main_domain: z.string(),
    acl: Acl,
    acl_id: Id.optional().describe('The named list the privileges came from'),
    max_accounts: limits.max_accounts.optional(),
    max_disk_mb: limits.max_disk_mb.optional(),
    max_bw_mb: limits.max_bw_mb.optional(),
    overselling: z.boolean().describe('The totals count what is used, not what is granted'),
    nameservers: z.array(z.string()),
    brand: Brand.optional().describe('Without the logo, which `getBrand` shows'),
    account_count: z.int().min(0).describe('Accounts it owns'),
    disk_granted_mb: z.int().min(0).describe('Disk space granted to its accounts, in MB'),
    bw_granted_mb: z.int().min(0).describe('Monthly bandwidth granted to its accounts, in MB'),
    suspended: z.boolean(),
    suspended_at: Millis.optional(),
    suspend_reason: z.string(),
    created_at: Millis,
    updated_at: Millis,
  }),
)

/** A named list of privileges. */
export const AclList = component(
  'AclList',
  z.strictObject({
    id: Id,
    name: z.string(),
    acl: Acl,
    reseller_count: z.int().min(0),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const root = { allow: {}, token: { admin: ['server'], account: 'none' } } as const
const params = z.strictObject({ id: Id.describe('The reseller: the id of its account') })
const list = z.strictObject({ id: Id.describe('The list') })
const columns = ['username', 'main_domain', 'account_count', 'max_accounts', 'suspended', 'created_at'] as const
export const listPrivileges = operation({
  id: 'listPrivileges',
  method: 'get',
  path: '/privileges',
  area: 'resellers',
  summary: 'List the privileges that an ACL can contain',
  status: 200,
  answer: listOf(component('Privilege', z.strictObject({ name: z.enum(privilegeNames), description: z.string() }))),
  ...root,
  cli: {
    words: ['resellers', 'privileges'],
    columns: ['name', 'description'],
    examples: ['panel resellers privileges'],
  },
})

export const listResellers = operation({
  id: 'listResellers',
  method: 'get',
  path: '/resellers',
  area: 'resellers',
  summary: 'List resellers',
  query: z.strictObject({ ...paging, q: search('username') }),
  status: 200,
  answer: pageOf(Reseller),
  ...root,
  cli: { words: ['resellers', 'list'], columns, examples: ['panel resellers list'] },
})

export const createReseller = operation({
  id: 'createReseller',
  method: 'post',
  path: '/resellers',
  area: 'resellers',
  summary: 'Make an account a reseller',
  body: component(
    'CreateReseller',
    z.strictObject({
      account_id: Id.describe('The account'),
      acl: Acl.optional(),
      acl_id: Id.optional().describe('Named list to take the privileges from; cannot be combined with acl'),
      max_accounts: limits.max_accounts.optional(),
      max_disk_mb: limits.max_disk_mb.optional(),
      max_bw_mb: limits.max_bw_mb.optional(),
    }),
  ),
  status: 201,
  answer: Reseller,
  ...root,
  emits: ['reseller.created'],
  problems: ['exists'],
  cli: {
    words: ['resellers', 'create'],
    args: ['account_id'],
    columns,
    lacking: {
      acl: 'It has no privileges yet, so it can do nothing. To give it some: panel resellers set-acl {username} --acl all',
    },
    examples: ['panel resellers create alice --acl list-accts,create-acct,suspend-acct --max-accounts 50'],
  },
})

export const getReseller = operation({
  id: 'getReseller',
  method: 'get',
  path: '/resellers/{id}',
  area: 'resellers',
  summary: 'Show a reseller',
  params,
  status: 200,
  answer: Reseller,
  allow: { reseller: 'own' },
  token: root.token,
  cli: {
    words: ['resellers', 'show'],
    columns: [...columns, 'acl'],
    groups: [
      { fields: ['suspend_reason', 'suspended_at'] },
      { heading: 'limits', fields: ['max_accounts', 'max_disk_mb', 'max_bw_mb', 'overselling'] },
    ],
    examples: ['panel resellers show alice'],
  },
})

export const updateReseller = operation({
  id: 'updateReseller',
  method: 'patch',
  path: '/resellers/{id}',
  area: 'resellers',
  summary: "Change a reseller's limits, nameservers and brand",
  description:
    'A null limit is unlimited. A reseller changes its own nameservers and brand. A brand replaces the former one; null takes it away.',
  params,
  body: component(
    'UpdateReseller',
    z.strictObject({
      max_accounts: limits.max_accounts.nullable().optional(),
      max_disk_mb: limits.max_disk_mb.nullable().optional(),
      max_bw_mb: limits.max_bw_mb.nullable().optional(),
      overselling: z.boolean().optional().describe('The totals count what is used, not what is granted'),
      nameservers: z.array(Hostname).max(4).optional().describe('Name servers of the accounts, at most 4'),
      brand: Brand.nullable().optional().describe('How the screens of its accounts look'),
    }),
  ),
  status: 200,
  answer: Reseller,
  allow: { reseller: 'own' },
  token: root.token,
  cli: {
    words: ['resellers', 'update'],
    columns,
    emptied: ['nameservers'],
    examples: ['panel resellers update alice --max-accounts 50'],
  },
})

export const setResellerAcl = operation({
  id: 'setResellerAcl',
  method: 'put',
  path: '/resellers/{id}/acl',
  area: 'resellers',
  summary: "Set a reseller's privileges",
  description: 'Replaces all its privileges. The change takes effect immediately, also in running sessions.',
  params,
  body: component(
    'SetAcl',
    z.strictObject({
      acl: Acl.optional(),
      acl_id: Id.optional().describe('Named list to take them from; cannot be combined with acl'),
    }),
  ),
  status: 200,
  answer: Reseller,
  ...root,
  cli: {
    words: ['resellers', 'set-acl'],
    columns: ['username', 'acl'],
    examples: ['panel resellers set-acl alice --acl list-accts,passwd'],
  },
})

export const suspendReseller = operation({
  id: 'suspendReseller',
  method: 'post',
  path: '/resellers/{id}/suspend',
  area: 'resellers',
  summary: 'Suspend a reseller, with or without its accounts',
  params,
  body: component(
    'SuspendReseller',
    z.strictObject({
      reason: z.string().max(500).optional().describe('The reason, for people to read'),
      accounts: z.boolean().optional().describe('Suspend its accounts too; true by default'),
    }),
  ),
  status: 200,
  answer: Reseller,
  ...root,
  job: 'account.suspend',
  emits: ['reseller.suspended', 'account.suspended', 'job.completed', 'job.failed'],
  cli: { words: ['resellers', 'suspend'], columns, examples: ['panel resellers suspend alice --reason unpaid'] },
})

export const unsuspendReseller = operation({
  id: 'unsuspendReseller',
  method: 'post',
  path: '/resellers/{id}/unsuspend',
  area: 'resellers',
  summary: 'Unsuspend a reseller and the accounts that were suspended with it',
  params,
  status: 200,
  answer: Reseller,
  ...root,
  job: 'account.unsuspend',
  emits: ['reseller.unsuspended', 'account.unsuspended', 'job.completed', 'job.failed'],
  cli: { words: ['resellers', 'unsuspend'], columns, examples: ['panel resellers unsuspend alice'] },
})

export const removeReseller = operation({
  id: 'removeReseller',
  method: 'delete',
  path: '/resellers/{id}',
  area: 'resellers',
  summary: 'Remove reseller status from an account that owns no accounts',
  params,
  status: 204,
  ...root,
  emits: ['reseller.removed'],
  problems: ['in-use'],
  cli: { words: ['resellers', 'remove'], confirm: 'yes', examples: ['panel resellers remove alice --yes'] },
})

export const listAcls = operation({
  id: 'listAcls',
  method: 'get',
  path: '/acls',
  area: 'acls',
  summary: 'List named lists of privileges',
  query: z.strictObject({ ...paging, q: search('name') }),
  status: 200,
  answer: pageOf(AclList),
  ...root,
  cli: { words: ['acls', 'list'], columns: ['name', 'acl', 'reseller_count'], examples: ['panel acls list'] },
})

export const createAcl = operation({
  id: 'createAcl',
  method: 'post',
  path: '/acls',
  area: 'acls',
  summary: 'Create a named list of privileges',
  body: component('CreateAcl', z.strictObject({ name: Name, acl: Acl })),
  status: 201,
  answer: AclList,
  ...root,
  problems: ['exists'],
  cli: {
    words: ['acls', 'create'],
    args: ['name'],
    columns: ['name', 'acl'],
    examples: ['panel acls create support --acl list-accts,passwd'],
  },
})

export const getAcl = operation({
  id: 'getAcl',
  method: 'get',
  path: '/acls/{id}',
  area: 'acls',
  summary: 'Show a named list of privileges',
  params: list,
  status: 200,
  answer: AclList,
  ...root,
  cli: { words: ['acls', 'show'], columns: ['name', 'acl', 'reseller_count'], examples: ['panel acls show support'] },
})

export const updateAcl = operation({
  id: 'updateAcl',
  method: 'put',
  path: '/acls/{id}',
  area: 'acls',
  summary: 'Change a named list and the resellers that use it',
  params: list,
  body: component('UpdateAcl', z.strictObject({ name: Name.optional(), acl: Acl.optional() })),
  status: 200,
  answer: AclList,
  ...root,
  problems: ['exists'],
  cli: {
    words: ['acls', 'update'],
    columns: ['name', 'acl', 'reseller_count'],
    examples: ['panel acls update support --acl list-accts'],
  },
})

export const deleteAcl = operation({
  id: 'deleteAcl',
  method: 'delete',
  path: '/acls/{id}',
  area: 'acls',
  summary: 'Delete a named list that no reseller uses',
  params: list,
  status: 204,
  ...root,
  problems: ['in-use'],
  cli: { words: ['acls', 'delete'], confirm: 'yes', examples: ['panel acls delete support --yes'] },
})
