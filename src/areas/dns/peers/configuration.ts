import { tsigAlgorithm, tsigName } from '../../../shared/zone/catalog.ts'
import { type Primary, secondaryLines } from '../../../shared/zone/secondary.ts'

/** The peer's configuration for BIND 9.18 and later. */
export function configurationOf(primary: Primary) {
  const { beside, inside } = secondaryLines(primary)
  const configuration = [...beside, '// Inside of options { … }:', ...inside]
  const key = { name: tsigName(primary.name), algorithm: tsigAlgorithm, secret: primary.secret }
  return { key, configuration: `${configuration.join('\n')}\n` }
}
