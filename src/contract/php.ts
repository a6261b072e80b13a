import { z } from 'zod'
import { component } from './common.ts'

export const PhpVersion = z.string().regex(/^\d{1,2}\.\d{1,2}$/, 'must be a version such as 8.4')

/** The day after which a version gets no more fixes from the PHP project. */
export const phpEndOfLife: Readonly<Record<string, string>> = {
  '5.6': '2018-12-31',
  '7.0': '2019-01-10',
  '7.1': '2019-12-01',
  '7.2': '2020-11-30',
  '7.3': '2021-12-06',
  '7.4': '2022-11-28',
  '8.0': '2023-11-26',
  '8.1': '2025-12-31',
  '8.2': '2026-12-31',
  '8.3': '2027-12-31',
  '8.4': '2028-12-31',
  '8.5': '2029-12-31',
}

export const MAX_PHP_EXTENSIONS = 50

const Extension = z.string().regex(/^[a-z0-9_]{1,40}$/, 'must be the name of an extension such as imagick')

const MEGABYTES = 1_000_000
const shape = {
  memory_limit_mb: z.int().min(16).max(MEGABYTES).describe('Memory of a script, in MB (128)'),
  max_execution_s: z.int().min(1).max(86_400).describe('Seconds of computing that a script may take (30)'),
  upload_max_mb: z.int().min(1).max(MEGABYTES).describe('Largest file that a visitor may upload, in MB (64)'),
  post_max_mb: z
    .int()
    .min(2)
    .max(MEGABYTES + 1)
    .describe('Largest request, in MB; more than the largest file (that and one)'),
  max_input_vars: z.int().min(100).max(100_000).describe('Fields of a form (1,000)'),
  display_errors: z.boolean().describe('Shows errors to visitors (false)'),
  opcache: z.boolean().describe('Caches compiled scripts (true)'),
  extensions: z.array(Extension).max(MAX_PHP_EXTENSIONS).describe("Extensions besides the version's own"),
} as const

type Shape = typeof shape
const each = <To extends z.ZodType>(make: (one: z.ZodType) => To) =>
  Object.fromEntries(Object.entries(shape).map(([name, one]) => [name, make(one)]))

/** The settings of a site's PHP that were set. */
export const PhpSettings = component(
  'PhpSettings',
  z.strictObject(each((one) => one.optional()) as { [Name in keyof Shape]: z.ZodOptional<Shape[Name]> }),
)

/** A change of those that it names; null puts back the default. */
export const PhpSettingsChange = component(
  'PhpSettingsChange',
  z.strictObject(
    each((one) => one.nullable().optional()) as { [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>> },
  ),
)

type Parsed = z.infer<typeof PhpSettings>
/** A setting that is not set is not there. */
export type PhpSettings = { [Name in keyof Parsed]?: Exclude<Parsed[Name], undefined> }
export type PhpSettingsChange = z.infer<typeof PhpSettingsChange>

export const InstalledPhp = component(
  'InstalledPhp',
  z.strictObject({
    version: z.string(),
    default: z.boolean().describe("Whether it is Debian's own, for domains without a version"),
    end_of_life: z.iso.date().optional().describe('The day after which the PHP project fixes nothing in it'),
    extensions: z.array(z.string()).describe('Those that the settings of a domain can name'),
  }),
)
