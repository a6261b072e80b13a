import { HostError } from '../../contract/error.ts'
import type { Directory } from '../../homes/home/directory.ts'
import { bytesIn, hasFile, isUtf16, oneLine, textIn } from './files.ts'

/** What a build reads of package.json; any of it may be missing. */
export interface PackageJson {
  /** Whether it names anything to install. */
  readonly hasDependencies: boolean
  /** The manager that `packageManager` names, without its version. */
  readonly manager?: string
  readonly engine?: string
  readonly volta?: string
}

const dependencies = ['dependencies', 'devDependencies', 'optionalDependencies', 'workspaces'] as const

export async function packageJsonIn(directory: Directory): Promise<PackageJson | undefined> {
  if (!(await hasFile(directory, 'package.json'))) return undefined
  // npm reads UTF-8 alone.
  if (isUtf16(await bytesIn(directory, 'package.json')))
    throw new HostError('stage', 'package.json is in UTF-16, which npm cannot read: save it as UTF-8.')
  return readPackageJson(await textIn(directory, 'package.json'))
}

export function readPackageJson(text: string): PackageJson {
  const fields = objectIn(text)
  const [manager] = stringOf(fields['packageManager'])?.split('@') ?? []
  const engine = stringOf(objectOf(fields['engines'])['node'])
  const volta = stringOf(objectOf(fields['volta'])['node'])
  return {
    hasDependencies: dependencies.some((name) => Object.keys(objectOf(fields[name])).length > 0),
    ...(manager && { manager }),
    ...(engine && { engine }),
    ...(volta && { volta }),
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text))
  } catch (error) {
    throw new HostError('stage', `package.json is not valid JSON: ${oneLine((error as Error).message)}.`)
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
