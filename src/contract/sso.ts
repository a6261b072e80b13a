import { z } from 'zod'
import { component, Id } from './common.ts'
import { operation } from './operation.ts'

const account = z.strictObject({ id: Id.describe('The account') })

/** A one-time link (contract: Single sign-on). */
export const Link = component(
  'Link',
  z.strictObject({ url: z.string().describe('Works once'), expires_in: z.int().describe('Seconds until it expires') }),
)

export const createAccountSso = operation({
  id: 'createAccountSso',
  sensitive: 'agents',
  method: 'post',
  path: '/accounts/{id}/sso',
  area: 'sso',
  summary: 'Create a one-time sign-in link for an account',
  description: 'The link works once, within 60 seconds, and starts a session as the account itself.',
  params: account,
  body: component(
    'CreateSso',
    z.strictObject({
      panel: z.enum(['user', 'admin']).optional().describe('Customer panel, or the admin panel of a reseller'),
      goto: z.string().min(1).max(2000).optional().describe('Page of that panel, below `/user/` or `/admin/`'),
    }),
  ),
  status: 200,
  answer: Link,
  secret: true,
  allow: { reseller: 'create-user-session' },
  token: { admin: ['accounts'], account: 'none' },
  problems: ['suspended'],
  cli: {
    words: ['accounts', 'sso'],
    columns: ['url', 'expires_in'],
    link: 'url',
    examples: [
      'panel accounts sso alice',
      'panel accounts sso alice --panel user --goto /user/',
      'panel accounts sso alice --open',
    ],
  },
})

export const createRootSso = operation({
  id: 'createRootSso',
  sensitive: 'agents',
  method: 'post',
  path: '/root/sso',
  area: 'sso',
  summary: 'Create a one-time sign-in link for root',
  description:
    'Only over the local socket, which proves who asks. The link works once, within 15 minutes, and starts a session of the admin panel.',
  body: component(
    'CreateRootSso',
    z.strictObject({ goto: z.string().min(1).max(2000).optional().describe('Page of the panel, below `/admin/`') }),
  ),
  status: 200,
  answer: Link,
  secret: true,
  allow: {},
  token: { admin: 'none', account: 'none' },
  problems: ['forbidden'],
  cli: {
    words: ['root', 'sso'],
    columns: ['url', 'expires_in'],
    link: 'url',
    examples: ['panel root sso', 'panel root sso --open'],
  },
})

export const loginAsAccount = operation({
  id: 'loginAsAccount',
  sensitive: 'agents',
  method: 'post',
  path: '/accounts/{id}/login-as',
  area: 'sso',
  summary: 'Create a one-time link to an administrator session in the customer panel',
  description:
    'The session is marked: it shows who is behind it and cannot change the password or two-factor settings.',
  params: account,
  status: 200,
  answer: Link,
  secret: true,
  allow: { reseller: 'create-user-session' },
  token: { admin: 'none', account: 'none' },
  problems: ['suspended'],
})

export const createPhpMyAdminLink = operation({
  id: 'createPhpMyAdminLink',
  sensitive: 'agents',
  method: 'post',
  path: '/accounts/{id}/phpmyadmin',
  area: 'sso',
  summary: "Create a one-time link to phpMyAdmin with the account's databases",
  description:
    'The link works once, within 60 seconds. The session ends after eight hours, or when the account is suspended. Only for accounts on the node `local`: for another node it is refused (`not-configured`).',
  params: account,
  status: 200,
  answer: Link,
  secret: true,
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: 'none', account: 'none' },
  feature: 'phpmyadmin',
  host: true,
  problems: ['suspended', 'not-configured'],
  cli: {
    words: ['mysql', 'phpmyadmin'],
    variant: 'account',
    columns: ['url', 'expires_in'],
    link: 'url',
    examples: ['panel mysql phpmyadmin -a alice', 'panel mysql phpmyadmin -a alice --open'],
  },
})

export const createWebmailLink = operation({
  id: 'createWebmailLink',
  sensitive: 'agents',
  method: 'post',
  path: '/accounts/{id}/email/accounts/{mid}/webmail',
  area: 'sso',
  summary: 'Create a one-time link to webmail, signed in to a mailbox',
  description:
    'The link works once, within 60 seconds. The session ends after eight hours, or when the password of the mailbox changes or its account is suspended. Only for accounts on the node `local`: for another node it is refused (`not-configured`).',
  params: z.strictObject({ id: Id.describe('The account'), mid: Id.describe('The mailbox') }),
  status: 200,
  answer: Link,
  secret: true,
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: 'none', account: 'none' },
  feature: 'webmail',
  host: true,
  problems: ['suspended', 'not-configured'],
  cli: {
    words: ['email', 'webmail'],
    variant: 'account',
    columns: ['url', 'expires_in'],
    link: 'url',
    examples: ['panel email webmail info@alice.example', 'panel email webmail info@alice.example --open'],
  },
})

export const redeemLink = operation({
  id: 'redeemLink',
  sensitive: 'agents',
  method: 'get',
  path: '/user/auth/sso',
  area: 'sso',
  summary: 'Open a one-time link',
  description: 'Consumes the link and answers 302 with a session cookie. A used, expired or unknown link answers 401.',
  query: z.strictObject({ token: z.string().min(1).max(200).describe('The one-time token') }),
  status: 302,
  allow: 'anyone',
  token: { admin: 'any', account: 'any' },
  consumes: true,
  licenseFree: true,
  problems: ['unauthenticated'],
})
