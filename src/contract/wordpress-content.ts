import { z } from 'zod'
import { component, listOf } from './common.ts'
import { operation } from './operation.ts'
import { Link } from './sso.ts'
import { access, area, member } from './wordpress.ts'

const extension = {
  slug: z.string().describe('Its directory, or its file without `.php`'),
  name: z.string().optional(),
  version: z.string().optional(),
  update: z.string().optional().describe('The newer version, as far as the site itself has found out'),
}

export const WordpressPlugin = component(
  'WordpressPlugin',
  z.strictObject({ ...extension, active: z.boolean().describe('Whether the site loads it') }),
)

export const WordpressTheme = component(
  'WordpressTheme',
  z.strictObject({
    ...extension,
    active: z.boolean().describe('Whether it is the theme of the site, or the parent of it'),
  }),
)

export const WordpressUser = component(
  'WordpressUser',
  z.strictObject({
    id: z.int().min(0).describe('The number that WordPress gave it'),
    username: z.string(),
    name: z.string().describe('The name that the site shows'),
    email: z.string(),
    roles: z.array(z.string()),
    administrator: z.boolean(),
  }),
)

const read = {
  area,
  method: 'get',
  host: true,
  params: member,
  status: 200,
  problems: ['busy', 'suspended'],
  ...access,
} as const
const description =
  "Asks the site's own WordPress, as its account and without a network. Plugins and themes are not loaded. 503 if it does not answer within 30 seconds, or fails: `detail` says why."

export const listWordpressPlugins = operation({
  ...read,
  id: 'listWordpressPlugins',
  path: '/accounts/{id}/wordpress/{wid}/plugins',
  summary: 'List the plugins of a WordPress site',
  description: `${description} At most 1,000.`,
  answer: listOf(WordpressPlugin),
  cli: {
    words: ['wordpress', 'plugins'],
    variant: 'account',
    columns: ['slug', 'name', 'version', 'update', 'active'],
    examples: ['panel wordpress plugins shop.example'],
  },
})

export const listWordpressThemes = operation({
  ...read,
  id: 'listWordpressThemes',
  path: '/accounts/{id}/wordpress/{wid}/themes',
  summary: 'List the themes of a WordPress site',
  description: `${description} At most 1,000.`,
  answer: listOf(WordpressTheme),
  cli: {
    words: ['wordpress', 'themes'],
    variant: 'account',
    columns: ['slug', 'name', 'version', 'update', 'active'],
    examples: ['panel wordpress themes shop.example'],
  },
})

export const listWordpressUsers = operation({
  ...read,
  id: 'listWordpressUsers',
  path: '/accounts/{id}/wordpress/{wid}/users',
  summary: 'List the users of a WordPress site',
  description: `${description} Those who registered first, at most 1,000.`,
  answer: listOf(WordpressUser),
  cli: {
    words: ['wordpress', 'users'],
    variant: 'account',
    columns: ['username', 'name', 'email', 'roles', 'administrator'],
    examples: ['panel wordpress users shop.example'],
  },
})

export const createWordpressLink = operation({
  id: 'createWordpressLink',
  sensitive: 'agents',
  method: 'post',
  path: '/accounts/{id}/wordpress/{wid}/sign-in',
  area,
  host: true,
  summary: 'Create a one-time link that signs in to a WordPress site',
  description:
    'The link works once, within 60 seconds: a file beside WordPress signs in and removes itself. If it is not used, the panel removes it. Plugins that add steps to a sign-in are not asked.',
  params: member,
  body: component(
    'CreateWordpressLink',
    z.strictObject({
      user: z
        .string()
        .min(1)
        .max(60)
        .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
        .optional()
        .describe('The username of an administrator of the site; the first if absent'),
    }),
  ),
  status: 200,
  answer: Link,
  secret: true,
  problems: ['busy', 'suspended'],
  allow: access.allow,
  token: { admin: access.token.admin, account: 'none' },
  feature: 'wordpress',
  cli: {
    words: ['wordpress', 'sign-in'],
    variant: 'account',
    columns: ['url', 'expires_in'],
    link: 'url',
    examples: ['panel wordpress sign-in shop.example', 'panel wordpress sign-in shop.example --user ed --open'],
  },
})
