import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import stringify from 'json-stringify-pretty-compact'
import { completionScripts } from './generate/completions.ts'
import { manualPages } from './generate/man.ts'
import { commandTable } from './generate/table.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Folders that hold nothing but generated files. */
const generatedFolders = ['completions', 'man']

/** Every file that is made from the contract, by its path in the package. */
export async function generatedFiles(): Promise<Map<string, string>> {
  return new Map([
    ...under('completions', completionScripts()),
    ...under('man', manualPages(commandTable())),
    ...(await description()),
  ])
}

const under = (folder: string, files: ReadonlyMap<string, string>): [string, string][] =>
  [...files].map(([name, text]) => [`${folder}/${name}`, text])

async function description(): Promise<[string, string][]> {
  const path = join(root, 'src/contract/openapi.ts')
  if (!existsSync(path)) return []
  const { openapi } = (await import(pathToFileURL(path).href)) as { openapi(): object }
  return [['openapi.json', `${stringify(openapi(), { indent: 1, maxLength: 120 })}\n`]]
}

/** Generated files that no longer belong. */
function leftovers(files: ReadonlyMap<string, string>): string[] {
  const present = generatedFolders.flatMap((folder) =>
    existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`) : [],
  )
  return present.filter((path) => !files.has(path))
}

const isStale = ([path, text]: [string, string]): boolean =>
  !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text

/** Paths that are missing, out of date or left over. */
export function staleFiles(files: ReadonlyMap<string, string>): string[] {
  return [...[...files].filter(isStale).map(([path]) => path), ...leftovers(files)]
}

function write(files: ReadonlyMap<string, string>): void {
  for (const path of leftovers(files)) rmSync(join(root, path))
  for (const [path, text] of [...files].filter(isStale)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    process.stdout.write(`${path}\n`)
  }
}

function check(files: ReadonlyMap<string, string>): void {
  const stale = staleFiles(files)
  if (stale.length === 0) return
  process.stderr.write(`stale, run \`npm run generate\`:\n${stale.map((path) => `  ${path}\n`).join('')}`)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = await generatedFiles()
  if (process.argv.includes('--check')) check(files)
  else write(files)
}
