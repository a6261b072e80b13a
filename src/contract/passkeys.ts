import { z } from 'zod'
import { component, Id, Millis } from './common.ts'
import { operation } from './operation.ts'
import { RecoveryCodes, Session, SignedIn } from './sessions.ts'

/** How long the options of a passkey are valid, in milliseconds. */
export const passkeyTimeout = 5 * 60_000

const Base64Url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9_-]+$/)
const CredentialId = Base64Url(1400).describe('Base64url')
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
export type Transport = (typeof transports)[number]
export const isTransport = (name: string): name is Transport => transports.some((one) => one === name)
const Transports = z.array(z.enum(transports)).max(transports.length)
const Extensions = z
  .record(z.string().max(64), z.unknown())
  .describe('What extensions of the browser answered: ignored')
const Attachment = z.enum(['platform', 'cross-platform'])

const Descriptor = component(
  'PasskeyDescriptor',
  z.strictObject({ id: CredentialId, type: z.literal('public-key'), transports: Transports.optional() }),
)
const CreationOptions = component(
  'PasskeyCreationOptions',
  z.strictObject({
    challenge: z.string(),
    rp: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.strictObject({ type: z.literal('public-key'), alg: z.int() })),
    timeout: z.int().describe('Milliseconds'),
    attestation: z.literal('none'),
    authenticatorSelection: z.strictObject({
      residentKey: z.literal('preferred'),
      requireResidentKey: z.literal(false),
      userVerification: z.literal('preferred'),
    }),
    excludeCredentials: z.array(Descriptor),
  }),
)
const RequestOptions = component(
  'PasskeyRequestOptions',
  z.strictObject({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int().describe('Milliseconds'),
    userVerification: z.enum(['required', 'preferred']),
    allowCredentials: z.array(Descriptor).describe('Empty: the browser offers those that it has'),
  }),
)
const credential = { id: CredentialId, rawId: CredentialId, type: z.literal('public-key') }
const further = { authenticatorAttachment: Attachment.optional(), clientExtensionResults: Extensions.optional() }
const Registration = component(
  'PasskeyRegistration',
  z.strictObject({
    ...credential,
    response: z.strictObject({
      clientDataJSON: Base64Url(4096),
      attestationObject: Base64Url(32_768),
      authenticatorData: Base64Url(32_768).optional(),
      transports: z
        .array(
          z
            .string()
            .max(32)
            .regex(/^[a-z0-9-]*$/),
        )
        .max(16)
        .optional(),
      publicKeyAlgorithm: z.int().optional(),
      publicKey: Base64Url(4096).optional(),
    }),
    ...further,
  }),
)
const Assertion = component(
  'PasskeyAssertion',
  z.strictObject({
    ...credential,
    response: z.strictObject({
      clientDataJSON: Base64Url(4096),
      authenticatorData: Base64Url(4096),
      signature: Base64Url(2048),
      userHandle: Base64Url(128).nullish(),
      attestationObject: Base64Url(32_768).nullish(),
    }),
    ...further,
  }),
)

const oneLine = /^[^\p{Cc}]*$/u
const PasskeyName = z
  .string()
  .min(1)
  .max(64)
  .regex(oneLine, 'must not contain control characters')
  .describe('To tell passkeys apart: the device that has it')
const passkeyFields = {
  id: Id,
  name: PasskeyName,
  rp_id: z.string().describe('The host name that it works on'),
  on_this_host: z.boolean().describe('Whether that is the host name of this request'),
  synced: z.boolean().describe('A password manager may copy it to other devices'),
  created_at: Millis,
  last_used_at: Millis.optional(),
}
const Passkey = component('Passkey', z.strictObject(passkeyFields))
const Passkeys = component(
  'Passkeys',
  z.strictObject({
    items: z.array(Passkey),
    rp_id: z
      .string()
      .optional()
      .describe('The host name that a new passkey would work on; absent where browsers allow none'),
    totp_enabled: z.boolean().describe('Whether an authenticator app is set up, too'),
  }),
)
const NewPasskey = component(
  'NewPasskey',
  z.strictObject({
    ...passkeyFields,
    recovery_codes: RecoveryCodes.shape.recovery_codes
      .optional()
      .describe('With the first second factor: each works once; shown only once'),
  }),
)
export const AddPasskey = component('AddPasskey', z.strictObject({ name: PasskeyName, credential: Registration }))
const RenamePasskey = component('RenamePasskey', z.strictObject({ name: PasskeyName }))
export const UsePasskey = component('UsePasskey', z.strictObject({ credential: Assertion }))
const UsePasskeyAnywhere = component(
  'UsePasskeyAnywhere',
  z.strictObject({
    credential: Assertion,
    panel: z.enum(['admin', 'user']).optional().describe('Where a reseller starts (default: admin)'),
  }),
)
const StartPasskeySignIn = component(
  'StartPasskeySignIn',
  z.strictObject({
    username: z
      .string()
      .min(1)
      .max(254)
      .regex(oneLine, 'must not contain control characters')
      .optional()
      .describe('For clients that ask for a name first: has no effect'),
  }),
)
const pid = z.strictObject({ pid: Id.describe('The passkey') })

const anyone = { allow: 'anyone', token: { admin: 'any', account: 'any' }, licenseFree: true } as const
const signedIn = { allow: 'session', token: { admin: 'none', account: 'none' } } as const
/** Registering and deleting: with a confirmed password, by the user alone. */
const confirmed = { restricted: 'allowed', ownerOnly: true, sensitive: true, ...signedIn } as const

const start = {
  method: 'post',
  summary: 'Start adding a passkey',
  description:
    'Answers what navigator.credentials.create takes, valid once, for 5 minutes. A passkey works on one host name: the one of this request. IP addresses and self-signed certificates have none: 409 not-configured.',
  status: 200,
  answer: CreationOptions,
  secret: true,
  problems: ['forbidden', 'feature-disabled', 'not-configured', 'too-many'],
  ...confirmed,
} as const
const add = {
  method: 'post',
  summary: 'Add a passkey',
  description: 'A user has at most 20. The first second factor brings recovery codes.',
  body: AddPasskey,
  status: 201,
  answer: NewPasskey,
  secret: true,
  problems: ['forbidden', 'feature-disabled', 'not-configured', 'exists', 'too-many'],
  ...confirmed,
} as const
const list = {
  method: 'get',
  summary: 'List the passkeys of the signed-in user',
  status: 200,
  answer: Passkeys,
  ...signedIn,
} as const
const rename = {
  method: 'patch',
  summary: 'Rename a passkey',
  params: pid,
  body: RenamePasskey,
  status: 200,
  answer: Passkey,
  ownerOnly: true,
  problems: ['forbidden'],
  ...signedIn,
} as const
const remove = {
  method: 'delete',
  summary: 'Delete a passkey',
  description: 'The last one stays while the user has no password: 409 in-use.',
  params: pid,
  status: 204,
  problems: ['forbidden', 'in-use'],
  ownerOnly: true,
  sensitive: true,
  ...signedIn,
} as const
const startSignIn = {
  method: 'post',
  summary: 'Start signing in with a passkey',
  description:
    'Answers what navigator.credentials.get takes, valid once, for 5 minutes. After a password, it names the passkeys of that user; otherwise the answer is the same for all.',
  body: StartPasskeySignIn,
  status: 200,
  answer: RequestOptions,
  secret: true,
  problems: ['csrf', 'not-configured'],
  ...anyone,
} as const
const signIn = {
  method: 'post',
  summary: 'Sign in with a passkey',
  description:
    'Alone, if the device verified the user, or as the second factor after the password. Sets the session cookie. Too many failures answer 429 with Retry-After.',
  body: UsePasskey,
  status: 200,
  answer: Session,
  secret: true,
  problems: ['unauthenticated', 'csrf', 'account-suspended', 'not-configured', 'rate-limited'],
  ...anyone,
} as const
const confirming = { restricted: 'allowed', licenseFree: true, ...signedIn } as const
const startConfirm = {
  method: 'post',
  summary: 'Start confirming with a passkey',
  description: 'Answers what navigator.credentials.get takes, valid once, for 5 minutes.',
  status: 200,
  answer: RequestOptions,
  secret: true,
  problems: ['not-configured'],
  ...confirming,
} as const
const confirm = {
  method: 'post',
  summary: 'Confirm with a passkey instead of the password',
  description: 'For 15 minutes the session can then make sensitive changes.',
  body: UsePasskey,
  status: 204,
  secret: true,
  problems: ['not-configured', 'rate-limited'],
  ...confirming,
} as const
const renew = {
  method: 'post',
  summary: 'Replace the recovery codes',
  description: 'The old ones no longer work. Without a second factor: 409 not-configured.',
  status: 200,
  answer: RecoveryCodes,
  secret: true,
  problems: ['not-configured'],
  ownerOnly: true,
  sensitive: true,
  ...signedIn,
} as const

const admin = { area: 'sessions', panel: 'admin', sensitive: 'agents' } as const
const user = { area: 'sessions', panel: 'user', sensitive: 'agents' } as const

export const startPasskey = operation({ id: 'startPasskey', path: '/auth/passkeys/start', ...admin, ...start })
export const startPasskeyUser = operation({
  id: 'startPasskeyUser',
  path: '/user/auth/passkeys/start',
  ...user,
  ...start,
})
export const addPasskey = operation({ id: 'addPasskey', path: '/auth/passkeys', ...admin, ...add })
export const addPasskeyUser = operation({ id: 'addPasskeyUser', path: '/user/auth/passkeys', ...user, ...add })
export const listPasskeys = operation({ id: 'listPasskeys', path: '/auth/passkeys', ...admin, ...list })
export const listPasskeysUser = operation({ id: 'listPasskeysUser', path: '/user/auth/passkeys', ...user, ...list })
export const renamePasskey = operation({ id: 'renamePasskey', path: '/auth/passkeys/{pid}', ...admin, ...rename })
export const renamePasskeyUser = operation({
  id: 'renamePasskeyUser',
  path: '/user/auth/passkeys/{pid}',
  ...user,
  ...rename,
})
export const deletePasskey = operation({ id: 'deletePasskey', path: '/auth/passkeys/{pid}', ...admin, ...remove })
export const deletePasskeyUser = operation({
  id: 'deletePasskeyUser',
  path: '/user/auth/passkeys/{pid}',
  ...user,
  ...remove,
})
export const startPasskeySignIn = operation({
  id: 'startPasskeySignIn',
  path: '/auth/login/passkey/start',
  ...admin,
  ...startSignIn,
})
export const startPasskeySignInUser = operation({
  id: 'startPasskeySignInUser',
  path: '/user/auth/login/passkey/start',
  ...user,
  ...startSignIn,
})
export const completePasskeySignIn = operation({
  id: 'completePasskeySignIn',
  path: '/auth/login/passkey',
  ...admin,
  ...signIn,
})
export const completePasskeySignInUser = operation({
  id: 'completePasskeySignInUser',
  path: '/user/auth/login/passkey',
  ...user,
  ...signIn,
})
export const completePasskeySignInAnywhere = operation({
  id: 'completePasskeySignInAnywhere',
  sensitive: 'agents',
  path: '/auth/sign-in/passkey',
  area: 'sessions',
  ...signIn,
  summary: 'Sign in to the panel of any user with a passkey',
  description:
    'Root and resellers get a session of the admin panel, customers one of the user panel. The device must have verified the user. Too many failures answer 429 with Retry-After.',
  body: UsePasskeyAnywhere,
  answer: SignedIn,
})
export const startPasskeyConfirm = operation({
  id: 'startPasskeyConfirm',
  path: '/auth/confirm/passkey/start',
  ...admin,
  ...startConfirm,
})
export const startPasskeyConfirmUser = operation({
  id: 'startPasskeyConfirmUser',
  path: '/user/auth/confirm/passkey/start',
  ...user,
  ...startConfirm,
})
export const confirmPasskey = operation({
  id: 'confirmPasskey',
  path: '/auth/confirm/passkey',
  ...admin,
  ...confirm,
})
export const confirmPasskeyUser = operation({
  id: 'confirmPasskeyUser',
  path: '/user/auth/confirm/passkey',
  ...user,
  ...confirm,
})
export const renewRecoveryCodes = operation({
  id: 'renewRecoveryCodes',
  path: '/auth/recovery-codes',
  ...admin,
  ...renew,
})
export const renewRecoveryCodesUser = operation({
  id: 'renewRecoveryCodesUser',
  path: '/user/auth/recovery-codes',
  ...user,
  ...renew,
})
