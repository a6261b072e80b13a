import { isInstalled } from '../../debian/php/versions.ts'
import { missingPackages } from '../apt.ts'
import type { SetupContext } from '../context.ts'
import { SetupError } from '../error.ts'
import type { Facts } from '../step.ts'
import { extensions } from '../steps/php.ts'

/** Of these names, those that apt could install. */
async function available({ run }: SetupContext, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const policy = await run('/usr/bin/apt-cache', ['policy', ...names])
  return new Set(
    [...policy.matchAll(/^(\S+):\n {2}Installed: .*\n {2}Candidate: (?!\(none\))/gm)].map(([, name]) => name!),
  )
}

const needed = (version: string): string[] => [`php${version}-fpm`, `php${version}-cli`]
const optional = (version: string): string[] => extensions.map((name) => `php${version}-${name}`)

/** The packages to install for further versions, and the extensions of Debian's own that apt has. */
export async function phpPackages(context: SetupContext, { suite, php }: Facts): Promise<string[]> {
  const further = php.filter((version) => version !== suite.php && !isInstalled(version, context.root))
  const missing = await missingPackages(context, [
    ...optional(suite.php),
    ...further.flatMap((version) => [...needed(version), ...optional(version)]),
  ])
  const isFirst = context.record.installed === undefined && missing.length > 0
  if (further.length > 0 || isFirst) await context.run('/usr/bin/apt-get', ['update', '-q']).catch(() => {})
  const known = await available(context, missing)
  refuseUnavailable(
    further,
    missing.filter((name) => !known.has(name)),
  )
  return missing.filter((name) => known.has(name))
}

function refuseUnavailable(versions: readonly string[], absent: readonly string[]): void {
  const lacking = versions.filter((version) => needed(version).some((name) => absent.includes(name)))
  if (lacking.length === 0) return
  const names = lacking.map((version) => `php${version}-fpm`)
  const which = names.length === 1 ? `The package ${names[0]} is` : `The packages ${names.join(', ')} are`
  throw new SetupError(
    `${which} not available from this machine's package sources.`,
    `packages.sury.org has them: panel host setup --php ${versions.join(',')} --php-source sury`,
  )
}
