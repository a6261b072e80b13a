import { z } from 'zod'
import { component, Id, listOf, Millis, privilegeNames } from './common.ts'
import { operation } from './operation.ts'

/** Which of the two panels: `admin` for root and resellers, `user` for customers. */
export type PanelName = 'admin' | 'user'

/** Idle time after which a session expires, in milliseconds. */
export const idleAfter = 3_600_000

/** The session of a cookie (contract: SessionResp). */
export const Session = component(
  'Session',
  z.strictObject({
    authenticated: z.boolean(),
    acting_as: z.boolean().describe('An administrator is signed in as this account'),
    switched: z.literal(true).optional().describe('The link it came from was opened where another was signed in'),
    force_password_change: z.boolean().describe('Nothing else works until the password is changed'),
    is_root: z.boolean(),
    mfa_required: z.boolean().describe('The password was right; send the code to complete the sign-in'),
    passkey_offered: z
      .literal(true)
      .optional()
      .describe('A passkey that works on this host name completes the sign-in, too'),
    two_factor_enabled: z.boolean(),
    two_factor_setup_required: z.boolean().describe('Nothing else works until two-factor sign-in is set up'),
    csrf_token: z.string().optional().describe('Send it as X-CSRF-Token with every change'),
    expires_at: Millis.optional(),
    username: z.string().optional(),
    account_id: Id.optional().describe("The customer's account"),
    suspended: z
      .strictObject({ since: Millis, reason: z.string().optional() })
      .optional()
      .describe('The account is suspended: nothing works but signing out'),
    role: z.enum(['root', 'reseller', 'customer']).optional(),
    acl: z.array(z.enum(privilegeNames)).optional(),
    password_expired: z.boolean().optional(),
    may_switch: z.literal(true).optional().describe('A reseller: the other panel opens without signing in again'),
    reseller: z
      .strictObject({ id: Id, main_domain: z.string(), nameservers: z.array(z.string()), username: z.string() })
      .optional(),
  }),
)

const SignIn = component(
  'SignIn',
  z.strictObject({ username: z.string().min(1).max(64), password: z.string().min(1).max(128) }),
)
const SignInAnywhere = component(
  'SignInAnywhere',
  z.strictObject({
    username: z.string().min(1).max(254).describe('A username, a domain of the account, or its contact address'),
    password: z.string().min(1).max(128),
    panel: z.enum(['admin', 'user']).optional().describe('Where a reseller starts (default: admin)'),
  }),
)
export const SignedIn = component(
  'SignedIn',
  z.strictObject({ panel: z.enum(['admin', 'user']).describe('The panel that the session is for'), session: Session }),
)
const Code = z.string().min(6).max(20).describe('Six digits of the authenticator, or a recovery code')
const CodeBody = component('TotpCode', z.strictObject({ code: Code }))
const TotpSecret = component(
  'TotpSecret',
  z.strictObject({ secret: z.string().describe('Base32'), uri: z.string().describe('For a QR code') }),
)
export const RecoveryCodes = component(
  'RecoveryCodes',
  z.strictObject({ recovery_codes: z.array(z.string()).describe('Each works once; shown only once') }),
)
const OwnSession = component(
  'OwnSession',
  z.strictObject({
    id: Id,
    current: z.boolean().describe('The session of this request'),
    created_at: Millis,
    last_seen_at: Millis,
    expires_at: Millis,
    address: z.string().optional(),
    user_agent: z.string().optional(),
  }),
)
const OwnPassword = component(
  'OwnPassword',
  z.strictObject({ current_password: z.string().min(1).max(128), new_password: z.string().min(8).max(128) }),
)
const OwnPasswordOnly = component(
  'ConfirmPassword',
  z.strictObject({ password: z.string().min(1).max(128).describe('The password of the signed-in user') }),
)
const sid = z.strictObject({ sid: Id.describe('The session') })

const anyone = { allow: 'anyone', token: { admin: 'any', account: 'any' }, licenseFree: true } as const
const signedIn = { allow: 'session', token: { admin: 'none', account: 'none' } } as const

/** Shared by both panels, apart from id, path and panel. */
const session = {
  method: 'get',
  summary: 'Describe the session of this panel',
  status: 200,
  answer: Session,
  ...anyone,
} as const
const login = {
  method: 'post',
  summary: 'Sign in',
  description: 'Sets the session cookie. Too many failures answer 429 with Retry-After.',
  body: SignIn,
  status: 200,
  answer: Session,
  secret: true,
  problems: ['unauthenticated', 'csrf', 'account-suspended', 'rate-limited'],
  ...anyone,
} as const
const loginCode = {
  method: 'post',
  summary: 'Complete a sign-in with a code',
  body: CodeBody,
  status: 200,
  answer: Session,
  secret: true,
  problems: ['unauthenticated', 'csrf', 'account-suspended', 'rate-limited'],
  ...anyone,
} as const
const switchPanel = {
  method: 'post',
  description:
    'Starts a session in the other panel for the same reseller. Only for sessions that began with a password: a link opens one panel.',
  status: 200,
  answer: Session,
  secret: true,
  licenseFree: true,
  ownerOnly: true,
  problems: ['forbidden', 'account-suspended'],
  ...signedIn,
} as const
const logout = {
  method: 'post',
  summary: 'Sign out',
  status: 204,
  licenseFree: true,
  restricted: 'allowed',
  suspended: 'allowed',
  ...signedIn,
} as const
const totpSetup = {
  method: 'post',
  summary: 'Start setting up two-factor sign-in',
  description: 'It takes effect once it is enabled with a first code.',
  status: 200,
  answer: TotpSecret,
  secret: true,
  restricted: 'allowed',
  ownerOnly: true,
  sensitive: true,
  problems: ['exists'],
  ...signedIn,
} as const
const totpEnable = {
  method: 'post',
  summary: 'Turn two-factor sign-in on with a first code',
  body: CodeBody,
  status: 200,
  answer: RecoveryCodes,
  secret: true,
  restricted: 'allowed',
  ownerOnly: true,
  sensitive: true,
  problems: ['exists', 'rate-limited'],
  ...signedIn,
} as const
const totpDisable = {
  secret: true,
  method: 'post',
  summary: 'Turn two-factor sign-in off with a code',
  body: CodeBody,
  status: 204,
  ownerOnly: true,
  sensitive: true,
  problems: ['rate-limited'],
  ...signedIn,
} as const
const list = {
  method: 'get',
  summary: 'List the sessions of the signed-in user',
  status: 200,
  answer: listOf(OwnSession),
  ...signedIn,
} as const
const endOne = {
  method: 'delete',
  summary: 'End one session',
  params: sid,
  status: 204,
  ownerOnly: true,
  sensitive: true,
  ...signedIn,
} as const
const endAll = {
  method: 'delete',
  summary: 'Sign out everywhere: end every session but this one',
  status: 204,
  ownerOnly: true,
  sensitive: true,
  ...signedIn,
} as const
const password = {
  secret: true,
  method: 'post',
  summary: 'Change the password of the signed-in user',
  description: 'The other sessions end.',
  body: OwnPassword,
  status: 204,
  restricted: 'allowed',
  ownerOnly: true,
  sensitive: true,
  emits: ['account.password_changed'],
  problems: ['rate-limited'],
  ...signedIn,
} as const

const confirm = {
  method: 'post',
  summary: 'Confirm the password of the signed-in user',
  description:
    'For 15 minutes the session can then make sensitive changes: API tokens, two-factor settings, your own password, ending other sessions. Signing in with the password counts as well.',
  body: OwnPasswordOnly,
  status: 204,
  secret: true,
  restricted: 'allowed',
  licenseFree: true,
  problems: ['rate-limited'],
  ...signedIn,
} as const

const admin = { area: 'sessions', panel: 'admin', sensitive: 'agents' } as const
const user = { area: 'sessions', panel: 'user', sensitive: 'agents' } as const

export const getSession = operation({ id: 'getSession', path: '/auth/session', ...admin, ...session })
export const getUserSession = operation({ id: 'getUserSession', path: '/user/auth/session', ...user, ...session })
export const signIn = operation({ id: 'signIn', path: '/auth/login', ...admin, ...login })
export const signInUser = operation({ id: 'signInUser', path: '/user/auth/login', ...user, ...login })
export const signInAnywhere = operation({
  id: 'signInAnywhere',
  sensitive: 'agents',
  path: '/auth/sign-in',
  area: 'sessions',
  ...login,
  summary: 'Sign in to either panel',
  description:
    'Root and resellers get a session of the admin panel, customers one of the user panel. A contact address works if only one account has it. Too many failures answer 429 with Retry-After.',
  body: SignInAnywhere,
  answer: SignedIn,
})
export const switchToUser = operation({
  id: 'switchToUser',
  path: '/auth/switch',
  summary: "Open the reseller's own hosting account",
  ...admin,
  ...switchPanel,
})
export const switchToAdmin = operation({
  id: 'switchToAdmin',
  path: '/user/auth/switch',
  summary: "Open the reseller's pages",
  ...user,
  ...switchPanel,
})
export const completeSignIn = operation({ id: 'completeSignIn', path: '/auth/login/totp', ...admin, ...loginCode })
export const completeSignInUser = operation({
  id: 'completeSignInUser',
  path: '/user/auth/login/totp',
  ...user,
  ...loginCode,
})
export const signOut = operation({ id: 'signOut', path: '/auth/logout', ...admin, ...logout })
export const signOutUser = operation({ id: 'signOutUser', path: '/user/auth/logout', ...user, ...logout })
export const setUpTotp = operation({ id: 'setUpTotp', path: '/auth/totp/setup', ...admin, ...totpSetup })
export const setUpTotpUser = operation({ id: 'setUpTotpUser', path: '/user/auth/totp/setup', ...user, ...totpSetup })
export const enableTotp = operation({ id: 'enableTotp', path: '/auth/totp/enable', ...admin, ...totpEnable })
export const enableTotpUser = operation({
  id: 'enableTotpUser',
  path: '/user/auth/totp/enable',
  ...user,
  ...totpEnable,
})
export const disableTotp = operation({ id: 'disableTotp', path: '/auth/totp/disable', ...admin, ...totpDisable })
export const disableTotpUser = operation({
  id: 'disableTotpUser',
  path: '/user/auth/totp/disable',
  ...user,
  ...totpDisable,
})
export const listSessions = operation({ id: 'listSessions', path: '/auth/sessions', ...admin, ...list })
export const listUserSessions = operation({ id: 'listUserSessions', path: '/user/auth/sessions', ...user, ...list })
export const endSessions = operation({ id: 'endSessions', path: '/auth/sessions', ...admin, ...endAll })
export const endUserSessions = operation({ id: 'endUserSessions', path: '/user/auth/sessions', ...user, ...endAll })
export const endSession = operation({ id: 'endSession', path: '/auth/sessions/{sid}', ...admin, ...endOne })
export const endUserSession = operation({ id: 'endUserSession', path: '/user/auth/sessions/{sid}', ...user, ...endOne })
export const changeOwnPassword = operation({ id: 'changeOwnPassword', path: '/auth/password', ...admin, ...password })
export const changeOwnUserPassword = operation({
  id: 'changeOwnUserPassword',
  path: '/user/auth/password',
  ...user,
  ...password,
})
const anyones = { area: 'sessions', sensitive: 'agents', ...anyone } as const
const token = z.string().min(1).max(128).describe('Of the link')

export const getPasswordReset = operation({
  id: 'getPasswordReset',
  method: 'get',
  path: '/auth/password-reset',
  summary: 'Show whether the server mails links for a forgotten password',
  status: 200,
  answer: component(
    'PasswordReset',
    z.strictObject({ available: z.boolean().describe('False where the host has no mail server') }),
  ),
  ...anyones,
})
export const requestPasswordReset = operation({
  id: 'requestPasswordReset',
  method: 'post',
  path: '/auth/password-reset',
  summary: 'Have a link for a forgotten password mailed',
  description:
    'To the contact address of the account, or of root, if it has one. The answer does not depend on whether the name exists. The link works once, within an hour, and not after the address or the password has changed. An account gets three an hour. Too many requests answer 429 with Retry-After.',
  body: component(
    'RequestPasswordReset',
    z.strictObject({
      username: z.string().min(1).max(254).describe('A username, a domain of the account, or its contact address'),
    }),
  ),
  status: 204,
  secret: true,
  problems: ['csrf', 'rate-limited', 'not-configured'],
  ...anyones,
})
export const completePasswordReset = operation({
  id: 'completePasswordReset',
  method: 'post',
  path: '/auth/password-reset/complete',
  summary: 'Set a new password by a mailed link',
  description:
    'All sessions end, and the link and those sent before it no longer work. Signing in still takes the second factor.',
  body: component(
    'CompletePasswordReset',
    z.strictObject({ token, new_password: z.string().min(8).max(128).describe('8 to 128 characters') }),
  ),
  status: 204,
  secret: true,
  emits: ['account.password_changed'],
  problems: ['csrf', 'unauthenticated', 'rate-limited'],
  ...anyones,
})

/** The path for confirming a session's password, by panel. */
export const confirmPaths = { admin: '/auth/confirm', user: '/user/auth/confirm' } as const

export const confirmPassword = operation({ id: 'confirmPassword', path: confirmPaths.admin, ...admin, ...confirm })
export const confirmUserPassword = operation({
  id: 'confirmUserPassword',
  path: confirmPaths.user,
  ...user,
  ...confirm,
})
