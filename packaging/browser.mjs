import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** What pages load, by the file it becomes. */
const entries = { panel: 'src/web/browser/panel.ts' }

/** Chrome, Firefox and Safari of the last two years; any other shows plain pages. */
const target = ['chrome130', 'firefox132', 'safari18']

/** Bundles the modules for browsers, named by their content, with a list of what is called how. */
export async function buildBrowser({ build }, root, folder) {
  await mkdir(join(root, folder), { recursive: true })
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    entryPoints: entries,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    outdir: folder,
    format: 'esm',
    target,
    minify: true,
    metafile: true,
    logLevel: 'warning',
  })
  const named = Object.entries(metafile.outputs).map(([file, { entryPoint }]) => [nameOf(entryPoint), basename(file)])
  await writeFile(join(root, folder, 'manifest.json'), JSON.stringify(Object.fromEntries(named)))
}

const nameOf = (entryPoint) => `${basename(entryPoint, '.ts')}.js`
