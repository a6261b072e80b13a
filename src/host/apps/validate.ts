import { hostKey } from '../contract/commands/apps.ts'
import { complete, fields, listOf, optional, text } from '../contract/fields.ts'
import { relative } from '../parts/apps.ts'
import type { BuiltRelease } from './app-runner.ts'

/**
 * Validates what a tenant's build process reports: its own commands ran beside it, and could have answered in its
 * place.
 */
export const checkMade = fields<BuiltRelease>(
  {
    commit: optional(text(/^[0-9a-f]{40,64}$/)),
    sizeBytes: complete(0, Number.MAX_SAFE_INTEGER),
    root: relative,
    hostKey: optional(hostKey),
    warnings: listOf(text(/^/, 16_384), 1000),
  },
  'a release',
)
