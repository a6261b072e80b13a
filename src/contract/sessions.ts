import { z } from 'zod'
import { component, Id, listOf, Millis, privilegeNames } from './common.ts'
import { operation } from './operation.ts'

/** Which of the two panels: `admin` for root and resellers, `user` for customers. */
export type PanelName = 'admin' | 'user'

/** What a session cookie stands for (contract: SessionResp). */
export const Session = component(
  'Session',
  z.strictObject({
    authenticated: z.boolean(),
    acting_as: z.boolean().describe('An administrator is signed in as this account'),
    force_password_change: z.boolean().describe('Nothing else works until the password is changed'),
    is_root: z.boolean(),
    mfa_required: z.boolean().describe('The password was right; send the code to complete the sign-in'),
    two_factor_enabled: z.boolean(),
    two_factor_setup_required: z.boolean().describe('Nothing else works until two-factor sign-in is set up'),
    csrf_token: z.string().optional().describe('Send it as X-CSRF-Token with every change'),
    expires_at: Millis.optional(),
    username: z.string().optional(),
    role: z.enum(['root', 'reseller', 'customer']).optional(),
    acl: z.array(z.enum(privilegeNames)).optional(),
    password_expired: z.boolean().optional(),
    reseller: z
      .strictObject({ id: Id, main_domain: z.string(), nameservers: z.array(z.string()), username: z.string() })
      .optional(),
  }),
)

const SignIn = component(
  'SignIn',
  z.strictObject({ username: z.string().min(1).max(64), password: z.string().min(1).max(128) }),
)
const Code = z.string().min(6).max(20).describe('Six digits of the authenticator, or a recovery code')
const CodeBody = component('TotpCode', z.strictObject({ code: Code }))
const TotpSecret = component(
  'TotpSecret',
  z.strictObject({ secret: z.string().describe('Base32'), uri: z.string().describe('For a QR code') }),
)
const RecoveryCodes = component(
  'RecoveryCodes',
  z.strictObject({ recovery_codes: z.array(z.string()).describe('Each works once; shown this once') }),
)
const OwnSession = component(
  'OwnSession',
  z.strictObject({
    id: Id,
    current: z.boolean().describe('The one this request came with'),
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
const sid = z.strictObject({ sid: Id.describe('The session') })

const anyone = { allow: 'anyone', token: { admin: 'any', account: 'any' }, licenseFree: true } as const
const signedIn = { allow: 'session', token: { admin: 'none', account: 'none' } } as const
const of = {
  admin: { area: 'sessions', panel: 'admin', who: 'the admin panel' },
  user: { area: 'sessions', panel: 'user', who: 'the customer panel' },
} as const

const session = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'get',
    path,
    area: 'sessions',
    panel,
    summary: `Describe the session in ${of[panel].who}`,
    status: 200,
    answer: Session,
    ...anyone,
  })

const signInTo = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'post',
    path,
    area: 'sessions',
    panel,
    summary: `Sign in to ${of[panel].who}`,
    description: 'Sets the session cookie. Too many failures answer 429 with Retry-After.',
    body: SignIn,
    status: 200,
    answer: Session,
    secret: true,
    problems: ['unauthenticated', 'csrf', 'account-suspended', 'rate-limited'],
    ...anyone,
  })

const completeSignInTo = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'post',
    path,
    area: 'sessions',
    panel,
    summary: `Complete the sign-in to ${of[panel].who} with a code`,
    body: CodeBody,
    status: 200,
    answer: Session,
    secret: true,
    problems: ['unauthenticated', 'csrf', 'rate-limited'],
    ...anyone,
  })

const signOutOf = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'post',
    path,
    area: 'sessions',
    panel,
    summary: `Sign out of ${of[panel].who}`,
    status: 204,
    licenseFree: true,
    restricted: 'allowed',
    ...signedIn,
  })

const setUpTotpFor = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'post',
    path,
    area: 'sessions',
    panel,
    summary: 'Begin to set up two-factor sign-in',
    description: 'It takes effect when a first code is sent to enable it.',
    status: 200,
    answer: TotpSecret,
    secret: true,
    restricted: 'allowed',
    ownerOnly: true,
    problems: ['exists'],
    ...signedIn,
  })

const enableTotpFor = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'post',
    path,
    area: 'sessions',
    panel,
    summary: 'Turn two-factor sign-in on with a first code',
    body: CodeBody,
    status: 200,
    answer: RecoveryCodes,
    secret: true,
    restricted: 'allowed',
    ownerOnly: true,
    problems: ['exists', 'rate-limited'],
    ...signedIn,
  })

const disableTotpFor = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'post',
    path,
    area: 'sessions',
    panel,
    summary: 'Turn two-factor sign-in off with a code',
    body: CodeBody,
    status: 204,
    secret: true,
    ownerOnly: true,
    problems: ['rate-limited'],
    ...signedIn,
  })

const sessionsOf = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'get',
    path,
    area: 'sessions',
    panel,
    summary: 'List the sessions of whoever is signed in',
    status: 200,
    answer: listOf(OwnSession),
    ...signedIn,
  })

const endOneOf = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'delete',
    path,
    area: 'sessions',
    panel,
    summary: 'End one session',
    params: sid,
    status: 204,
    ownerOnly: true,
    ...signedIn,
  })

const endAllOf = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'delete',
    path,
    area: 'sessions',
    panel,
    summary: 'Sign out everywhere: end every session but this one',
    status: 204,
    ownerOnly: true,
    ...signedIn,
  })

const changePasswordOf = <const I extends string, const P extends `/${string}`>(id: I, path: P, panel: PanelName) =>
  operation({
    id,
    method: 'post',
    path,
    area: 'sessions',
    panel,
    summary: 'Change the password of whoever is signed in',
    description: 'The other sessions end.',
    body: OwnPassword,
    status: 204,
    restricted: 'allowed',
    ownerOnly: true,
    emits: ['account.password_changed'],
    problems: ['rate-limited'],
    ...signedIn,
  })

export const getSession = session('getSession', '/auth/session', 'admin')
export const getUserSession = session('getUserSession', '/user/auth/session', 'user')
export const signIn = signInTo('signIn', '/auth/login', 'admin')
export const signInUser = signInTo('signInUser', '/user/auth/login', 'user')
export const completeSignIn = completeSignInTo('completeSignIn', '/auth/login/totp', 'admin')
export const completeSignInUser = completeSignInTo('completeSignInUser', '/user/auth/login/totp', 'user')
export const signOut = signOutOf('signOut', '/auth/logout', 'admin')
export const signOutUser = signOutOf('signOutUser', '/user/auth/logout', 'user')
export const setUpTotp = setUpTotpFor('setUpTotp', '/auth/totp/setup', 'admin')
export const setUpTotpUser = setUpTotpFor('setUpTotpUser', '/user/auth/totp/setup', 'user')
export const enableTotp = enableTotpFor('enableTotp', '/auth/totp/enable', 'admin')
export const enableTotpUser = enableTotpFor('enableTotpUser', '/user/auth/totp/enable', 'user')
export const disableTotp = disableTotpFor('disableTotp', '/auth/totp/disable', 'admin')
export const disableTotpUser = disableTotpFor('disableTotpUser', '/user/auth/totp/disable', 'user')
export const listSessions = sessionsOf('listSessions', '/auth/sessions', 'admin')
export const listUserSessions = sessionsOf('listUserSessions', '/user/auth/sessions', 'user')
export const endSessions = endAllOf('endSessions', '/auth/sessions', 'admin')
export const endUserSessions = endAllOf('endUserSessions', '/user/auth/sessions', 'user')
export const endSession = endOneOf('endSession', '/auth/sessions/{sid}', 'admin')
export const endUserSession = endOneOf('endUserSession', '/user/auth/sessions/{sid}', 'user')
export const changeOwnPassword = changePasswordOf('changeOwnPassword', '/auth/password', 'admin')
export const changeOwnUserPassword = changePasswordOf('changeOwnUserPassword', '/user/auth/password', 'user')
