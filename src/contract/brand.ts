import { z } from 'zod'
import { component, Hostname, Id } from './common.ts'
import { operation } from './operation.ts'

/** Colours that are legible on all surfaces of the screens, light and dark. */
export const accents = ['blue', 'indigo', 'violet', 'magenta', 'crimson', 'rust', 'olive', 'teal'] as const
export type Accent = (typeof accents)[number]

export const logoTypes = ['image/png', 'image/webp'] as const

/** How the screens look to the owner's users; unset values are absent. */
export const Brand = component(
  'Brand',
  z.strictObject({
    name: z
      .string()
      .min(1)
      .max(40)
      .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not contain control or invisible characters')
      .optional()
      .describe('Name shown in the screens, at most 40 characters'),
    accent: z.enum(accents).optional().describe('Colour that marks where one is'),
    support_url: z
      .string()
      .max(2048)
      .regex(/^https:\/\/[^\s\p{Cc}\p{Cf}]+$/u, 'must be an https:// URL')
      .optional()
      .describe('Where people find help, as an https:// URL'),
    hostname: Hostname.optional().describe('Host name under which the sign-in page shows this brand'),
  }),
)

const Logo = z.strictObject({
  sha256: z.string(),
  type: z.enum(logoTypes),
  width: z.int().min(1),
  height: z.int().min(1),
})

export const VisibleBrand = component('ShownBrand', z.strictObject({ ...Brand.shape, logo: Logo.optional() }))

export const MAX_LOGO_BYTES = 32 * 1024
export const widestLogo = 512

const area = 'brand'
const columns = ['name', 'accent', 'support_url', 'hostname', 'logo.type', 'logo.width', 'logo.height'] as const
const words = (verb: string) => ['brand', verb] as const
const logo = {
  description:
    'PNG or WebP, at most 512 pixels wide and high and 32 KiB, without animation. The type is detected from its bytes.',
  raw: 'body',
  // Allows an explanation for one that is slightly too large.
  maxBytes: 2 * MAX_LOGO_BYTES,
  status: 200,
  answer: VisibleBrand,
} as const
const ofReseller = z.strictObject({ id: Id.describe('The reseller: the id of its account') })
const byReseller = { allow: { reseller: 'own' }, token: { admin: ['server'], account: 'none' } } as const
const byRoot = { allow: {}, token: { admin: ['server'], account: 'none' } } as const

export const getBrand = operation({
  id: 'getBrand',
  method: 'get',
  path: '/brand',
  area,
  summary: "Show one's own brand",
  description: "Root's brand is the server's; it applies to every account and reseller without a brand of its own.",
  status: 200,
  answer: VisibleBrand,
  allow: { reseller: 'own' },
  token: { admin: ['accounts', 'packages', 'server'], account: 'none' },
  cli: { words: words('show'), columns, examples: ['panel brand show'] },
})

export const getSignInBrand = operation({
  id: 'getSignInBrand',
  method: 'get',
  path: '/brand/sign-in',
  area,
  summary: 'Show the brand of the sign-in page at the host name that was asked for',
  description: "The reseller's whose host name it is; empty for any other.",
  status: 200,
  answer: VisibleBrand,
  allow: 'anyone',
  token: { admin: 'any', account: 'any' },
})

export const getBrandLogo = operation({
  id: 'getBrandLogo',
  method: 'get',
  path: '/brand/logo',
  area,
  host: true,
  raw: 'answer',
  summary: 'Download a logo by its SHA-256',
  query: z.strictObject({
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')
      .describe('As the brand shows it'),
  }),
  status: 200,
  allow: 'anyone',
  token: { admin: 'any', account: 'any' },
  problems: ['not-found'],
})

export const getBrandForAccount = operation({
  id: 'getBrandForAccount',
  method: 'get',
  path: '/accounts/{id}/brand',
  area,
  summary: "Show the brand of an account's screens: its owner's",
  params: z.strictObject({ id: Id.describe('The account') }),
  status: 200,
  answer: VisibleBrand,
  allow: { reseller: 'list-accts', customer: true },
  suspended: 'allowed',
  token: { admin: ['accounts'], account: 'account' },
  cli: { words: words('show'), variant: 'account', columns, examples: ['panel brand show --account alice'] },
})

export const setBrandLogo = operation({
  ...logo,
  id: 'setBrandLogo',
  method: 'put',
  path: '/resellers/{id}/brand/logo',
  area: 'resellers',
  summary: "Set a reseller's logo",
  params: ofReseller,
  ...byReseller,
  cli: { words: ['resellers', 'set-logo'], columns, examples: ['panel resellers set-logo alice logo.png'] },
})

export const deleteBrandLogo = operation({
  id: 'deleteBrandLogo',
  method: 'delete',
  path: '/resellers/{id}/brand/logo',
  area: 'resellers',
  summary: "Delete a reseller's logo",
  params: ofReseller,
  status: 204,
  ...byReseller,
  cli: { words: ['resellers', 'delete-logo'], confirm: 'yes', examples: ['panel resellers delete-logo alice --yes'] },
})

export const setServerLogo = operation({
  ...logo,
  id: 'setServerLogo',
  method: 'put',
  path: '/settings/brand/logo',
  area,
  summary: "Set the server's logo",
  ...byRoot,
  cli: { words: words('set-logo'), columns, examples: ['panel brand set-logo logo.png'] },
})

export const deleteServerLogo = operation({
  id: 'deleteServerLogo',
  method: 'delete',
  path: '/settings/brand/logo',
  area,
  summary: "Delete the server's logo",
  status: 204,
  ...byRoot,
  cli: { words: words('delete-logo'), confirm: 'yes', examples: ['panel brand delete-logo --yes'] },
})
