import { z } from 'zod'
import { component, Id, LoginPassword } from './common.ts'
import { operation } from './operation.ts'
import { access, account, area, ended, WordpressSite } from './wordpress.ts'

const line = /^[^\p{Cc}]*$/u
const oneLine = 'must not contain control characters'

export const InstallWordpress = component(
  'InstallWordpress',
  z.strictObject({
    domain_id: Id.describe('Domain'),
    path: z
      .string()
      .max(255)
      .regex(
        /^\/?(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){0,3})?$/,
        'must be at most four names of letters, digits, `.`, `_`, `~` and `-`, such as /blog',
      )
      .optional()
      .describe('Where it is below the domain, such as `/blog`; the domain itself if absent'),
    version: z
      .string()
      .regex(/^\d{1,2}(?:\.\d{1,3}){1,2}$/, 'must be a version such as 6.8.1')
      .optional()
      .describe('Of WordPress; the newest if absent'),
    locale: z
      .string()
      .regex(/^[a-z]{2,3}(?:_[A-Z]{2})?(?:_[a-z]{2,12})?$/, 'must be a locale such as de_DE')
      .optional()
      .describe('Language, such as `de_DE`; en_US if absent'),
    title: z.string().min(1).max(200).regex(line, oneLine).describe('Title of the site'),
    admin_user: z
      .string()
      .min(1)
      .max(60)
      .regex(
        /^[A-Za-z0-9_.@-](?:[A-Za-z0-9 _.@-]*[A-Za-z0-9_.@-])?$/,
        'must contain only letters, digits, spaces, `_`, `.`, `-` and `@`',
      )
      .describe("Username of the site's administrator"),
    admin_email: z.email().max(100).describe("Email of the site's administrator"),
    admin_password: LoginPassword.optional().describe(
      '8 to 128 characters, without control characters, and not the name itself; a generated one if absent',
    ),
  }),
)

export const installWordpress = operation({
  id: 'installWordpress',
  secret: true,
  method: 'post',
  path: '/accounts/{id}/wordpress',
  area,
  summary: 'Install WordPress',
  description:
    'With a database and a database user of its own. The files come from the setting `wordpress_source`, and are compared with their checksum. Nothing is at the address before the installation is complete; if it fails permanently, files, database and user are removed. Posts and pages that come with WordPress are left out, and comments are closed. The domain then answers by `php-front`; below a path its handler stays.',
  params: z.strictObject(account),
  body: InstallWordpress,
  status: 202,
  answer: component(
    'WordpressInstallAccepted',
    z.strictObject({
      site: WordpressSite,
      admin_password: z.string().optional().describe('The generated one; shown only once'),
      job_id: Id.describe('The job that installs it'),
    }),
  ),
  job: 'wordpress.install',
  emits: ['mysql.database.created', 'mysql.user.created', ...ended],
  problems: ['exists', 'limit-reached', 'too-many', 'not-configured', 'busy', 'suspended'],
  ...access,
  feature: 'wordpress',
  cli: {
    words: ['wordpress', 'install'],
    variant: 'account',
    args: ['domain_id'],
    columns: ['admin_password', 'site.domain', 'site.path', 'site.admin_url', 'site.status'],
    examples: [
      'panel wordpress install shop.example --title Shop --admin-user ed --admin-email ed@shop.example',
      'panel wordpress install shop.example --path /blog --title Blog --admin-user ed --admin-email ed@shop.example --admin-password-stdin',
    ],
  },
})
