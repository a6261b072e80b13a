import { z } from 'zod'
import { component, Id, listOf, Millis, Name } from './common.ts'
import { operation } from './operation.ts'

export const sshKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
] as const

const Fingerprint = z.string().describe('SHA-256 fingerprint, as `ssh-keygen -l` shows it')

export const Ssh = component(
  'Ssh',
  z.strictObject({
    enabled: z.boolean().describe('Whether the keys open a session; false while the shell is nologin'),
    shell: z.string().describe("The account's login shell"),
    host: z.string(),
    port: z.int(),
    host_keys: z
      .array(z.strictObject({ type: z.string(), fingerprint: Fingerprint }))
      .describe('Keys of the SSH server; empty where the host has none'),
  }),
)

export const SshKey = component(
  'SshKey',
  z.strictObject({
    id: Id,
    name: z.string(),
    type: z.enum(sshKeyTypes),
    fingerprint: Fingerprint,
    comment: z.string(),
    created_at: Millis,
  }),
)

const job_id = Id.describe('The job that applies the change')
const SshKeyAccepted = component('SshKeyAccepted', z.strictObject({ key: SshKey, job_id }))

const account = { id: Id.describe('The account') }
const params = z.strictObject(account)

const area = 'ssh'
const access = {
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'ssh' },
} as const
const applied = { status: 202, job: 'ssh.apply', emits: ['job.completed', 'job.failed'] } as const
const columns = ['name', 'type', 'fingerprint', 'created_at'] as const

export const getSsh = operation({
  id: 'getSsh',
  method: 'get',
  path: '/accounts/{id}/ssh',
  area,
  summary: "Show an account's SSH access",
  params,
  status: 200,
  answer: Ssh,
  ...access,
  cli: { words: ['ssh', 'show'], variant: 'account', examples: ['panel ssh show --account alice'] },
})

export const updateSsh = operation({
  id: 'updateSsh',
  method: 'patch',
  path: '/accounts/{id}/ssh',
  area,
  summary: 'Turn SSH access on or off',
  description:
    'Turning it on needs a login shell, which `updateAccount` sets. Turning it off ends open sessions. Only keys open a session, never a password.',
  params,
  body: component('UpdateSsh', z.strictObject({ enabled: z.boolean().describe('Whether the keys open a session') })),
  answer: component('SshAccepted', z.strictObject({ ssh: Ssh, job_id })),
  ...applied,
  ...access,
  feature: 'ssh',
  problems: ['not-configured'],
  cli: {
    words: ['ssh', 'update'],
    variant: 'account',
    show: 'ssh',
    examples: ['panel ssh update --account alice --enabled', 'panel ssh update --account alice --no-enabled'],
  },
})

export const listSshKeys = operation({
  id: 'listSshKeys',
  method: 'get',
  path: '/accounts/{id}/ssh/keys',
  area,
  summary: "List an account's SSH keys",
  params,
  status: 200,
  answer: listOf(SshKey),
  ...access,
  cli: { words: ['ssh', 'keys'], variant: 'account', columns, examples: ['panel ssh keys --account alice'] },
})

export const addSshKey = operation({
  id: 'addSshKey',
  method: 'post',
  path: '/accounts/{id}/ssh/keys',
  area,
  summary: 'Add an SSH key',
  description: `A public key on one line, as in \`id_ed25519.pub\`: ${sshKeyTypes.join(', ')}; RSA keys of 2,048 bits or more. Options before the type, certificates and private keys are refused. An account has up to 50 keys.`,
  params,
  body: component(
    'AddSshKey',
    z.strictObject({
      name: Name.describe('Name, such as the machine that has the key'),
      public_key: z
        .string()
        .min(1)
        .max(8193)
        .describe('The line in the public key file, such as ~/.ssh/id_ed25519.pub'),
    }),
  ),
  answer: SshKeyAccepted,
  ...applied,
  ...access,
  feature: 'ssh',
  problems: ['exists', 'too-many'],
  cli: {
    words: ['ssh', 'add-key'],
    variant: 'account',
    args: ['name'],
    columns,
    show: 'key',
    examples: ['panel ssh add-key laptop --account alice --public-key "$(cat id.pub)"'],
  },
})

export const deleteSshKey = operation({
  id: 'deleteSshKey',
  method: 'delete',
  path: '/accounts/{id}/ssh/keys/{kid}',
  area,
  summary: 'Delete an SSH key',
  params: z.strictObject({ ...account, kid: Id.describe('The key') }),
  answer: SshKeyAccepted,
  ...applied,
  ...access,
  cli: {
    words: ['ssh', 'delete-key'],
    variant: 'account',
    columns,
    show: 'key',
    confirm: 'yes',
    examples: ['panel ssh delete-key laptop --account alice'],
  },
})
