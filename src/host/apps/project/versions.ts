import { satisfies, validRange } from 'semver'
import type { AppKind } from '../../contract/apps.ts'
import type { Directory } from '../../homes/home/directory.ts'
import { foldersLike, textIn } from './files.ts'
import { packageJsonIn } from './package-json.ts'

/** A version that a source asks for, and where it says so. */
export interface Requested {
  readonly version: string
  readonly from: string
}

export async function requestedVersions(kind: AppKind, directory: Directory): Promise<Requested[]> {
  if (kind !== 'node' && kind !== 'python') return []
  const found: Requested[] = []
  for (const [file, read] of readers[kind]) {
    const version = read(await textIn(directory, file))
    if (version) found.push({ version, from: file })
  }
  if (kind === 'node') found.push(...(await requestedByPackage(directory)))
  return found
}

async function requestedByPackage(directory: Directory): Promise<Requested[]> {
  const json = await packageJsonIn(directory)
  return [
    ...(json?.volta ? [{ version: json.volta, from: 'volta in package.json' }] : []),
    ...(json?.engine ? [{ version: json.engine, from: 'engines in package.json' }] : []),
  ]
}

/** The first line that is not a comment. */
export const firstLine = (text: string): string | undefined =>
  text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*$/, '').trim())
    .find((line) => line !== '')

/** `nodejs 20.11.1 18.0.0`: the first of its alternatives. */
const toolVersion =
  (...tools: readonly string[]) =>
  (text: string): string | undefined => {
    const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*$/, '').trim().split(/\s+/))
    return lines.find(([tool]) => tools.includes(tool ?? ''))?.[1]
  }

const runtimeTxt = (text: string): string | undefined => /^\s*python-(\d+(?:\.\d+)*)/.exec(text)?.[1]

type VersionReader = (text: string) => string | undefined
const readers: Readonly<Record<'node' | 'python', readonly (readonly [string, VersionReader])[]>> = {
  node: [
    ['.nvmrc', firstLine],
    ['.node-version', firstLine],
    ['.tool-versions', toolVersion('nodejs', 'node')],
  ],
  python: [
    ['runtime.txt', runtimeTxt],
    ['.python-version', firstLine],
    ['.tool-versions', toolVersion('python')],
  ],
}

const any = new Set(['*', 'x', 'node', 'stable', 'latest', 'current', 'system', 'default', 'lts', 'lts/*', '--lts'])
const ltsNames = [
  ...['argon', 'boron', 'carbon', 'dubnium', 'erbium', 'fermium', 'gallium', 'hydrogen', 'iron', 'jod', 'krypton'],
]

/** `lts/iron` is 20: from 4 on, each even version has a name. */
const ltsRange = (name: string): string | undefined => {
  const at = ltsNames.indexOf(name)
  return at < 0 ? undefined : `${4 + 2 * at}`
}

/** Whether a version fulfils what was requested; undefined if that cannot be understood. */
export function fulfils(version: string, requested: string): boolean | undefined {
  const text = requested.trim().toLowerCase()
  if (any.has(text)) return true
  const range = text.startsWith('lts') ? ltsRange(text.replace(/^lts[/-]/, '')) : text.replace(/^node[-@]v?/, '')
  if (range === undefined || validRange(range, { loose: true }) === null) return undefined
  return satisfies(version, range, { loose: true, includePrerelease: true })
}

/** Where further versions of Node.js are installed: by root, or by version managers in a home. */
export const nodeFolders = (home: string): string[] =>
  [
    ...['/opt/node*/bin', '/opt/nodejs/*/bin', '/usr/local/node*/bin', '/usr/local/lib/nodejs/*/bin'],
    ...['/usr/local/n/versions/node/*/bin', `${home}/.nvm/versions/node/*/bin`, `${home}/.nodenv/versions/*/bin`],
    ...[`${home}/.asdf/installs/nodejs/*/bin`, `${home}/.local/share/mise/installs/node/*/bin`],
    ...[`${home}/.local/share/fnm/node-versions/*/installation/bin`, `${home}/.volta/tools/image/node/*/bin`],
  ].flatMap(foldersLike)

/** Minor versions of Python are programs of their own. */
export const pythonName = (requested: string): string | undefined => {
  const minor = /^v?(\d+\.\d+)(?:\.|$)/.exec(requested.trim())?.[1]
  return minor === undefined ? undefined : `python${minor}`
}

export const pythonFolders = (home: string): string[] =>
  ['/opt/python*/bin', `${home}/.pyenv/versions/*/bin`, `${home}/.asdf/installs/python/*/bin`].flatMap(foldersLike)
