import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packageRoot } from '../../shared/package-root.ts'
import { iconFile, iconSheet, siteIcon } from '../kit/components/icon.tsx'
import { referenceStyle } from '../reference/style.ts'
import { base } from '../style/base.ts'
import { parts } from '../style/components.ts'
import { layout } from '../style/layout.ts'
import { log } from '../style/log.ts'
import { tokens } from '../style/tokens.ts'

/** A file of the screens, named after its content's hash. */
export interface Asset {
  readonly address: string
  readonly type: string
  readonly text: string
  readonly packed: Buffer
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Strips comments and unneeded whitespace. */
const tight = (css: string): string =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/;}/g, '}')
    .trim()

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10)
const endOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

const fileAt = (name: string, text: string): Asset => ({
  address: `/assets/${name}`,
  type: types[endOf(name)]!,
  text,
  packed: gzipSync(text, { level: 9 }),
})

const assetOf = (stem: string, end: string, text: string): [string, Asset] => [
  `${stem}.${end}`,
  fileAt(`${stem}-${hashOf(text)}.${end}`, text),
]

/** The browser modules as the build bundled and named them; none without a build. */
function scripts(): [string, Asset][] {
  const folder = join(packageRoot(), 'dist/web')
  if (!existsSync(join(folder, 'manifest.json'))) return []
  const names = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, string>
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const called = new Map(Object.entries(names).map(([name, file]) => [file, name]))
  return files.map((file) => [called.get(file) ?? file, fileAt(file, readFileSync(join(folder, file), 'utf8'))])
}

let all: ReadonlyMap<string, Asset> | undefined

/** Every file by its name without the hash. */
export function assets(): ReadonlyMap<string, Asset> {
  if (all) return all
  all = new Map([
    assetOf('panel', 'css', tight(tokens + base + layout + parts + log)),
    assetOf('reference', 'css', tight(referenceStyle)),
    assetOf('icons', 'svg', iconSheet()),
    assetOf('icon', 'svg', siteIcon),
    ...scripts(),
  ])
  iconFile.address = all.get('icons.svg')!.address
  return all
}

/** The address of a file; undefined if there is none. */
export const addressOf = (name: string): string | undefined => assets().get(name)?.address
