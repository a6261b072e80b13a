import { type Directory, holding } from '../homes/home/directory.ts'
import { isThere } from './paths.ts'

const apps = Buffer.from('apps')
const releases = Buffer.from('releases')
const current = Buffer.from('current')

/** The non-current releases of apps, by their four path segments. */
export async function superseded(home: Directory): Promise<ReadonlySet<string>> {
  const old = new Set<string>()
  if (!(await home.find(apps))?.isDirectory()) return old
  await holding(home.down(apps), async (all) => {
    for await (const app of all.names())
      if ((await all.find(app))?.isDirectory()) await holding(all.down(app), (one) => addOld(one, app, old))
  })
  return old
}

/** The apps in a home that its backup lacks because they are newer; paths relative to the home. */
export async function appsSince(home: Directory, saved: Directory): Promise<(readonly Buffer[])[]> {
  const since: (readonly Buffer[])[] = []
  const retained = await saved.find(apps)
  if (!(await home.find(apps))?.isDirectory() || (retained && !retained.isDirectory())) return since
  await holding(home.down(apps), async (all) => {
    for await (const app of all.names())
      if ((await isServed(all, app)) && !(await isThere(saved, [apps, app]))) since.push([apps, app])
  })
  return since
}

const isServed = async (all: Directory, app: Buffer): Promise<boolean> =>
  ((await all.find(app))?.isDirectory() ?? false) &&
  holding(all.down(app), async (one) => (await one.find(current))?.isSymbolicLink() ?? false)

async function addOld(app: Directory, name: Buffer, old: Set<string>): Promise<void> {
  if (!(await app.find(releases))?.isDirectory() || !(await app.find(current))?.isSymbolicLink()) return
  const target = (await app.readlink(current)).toString('latin1')
  await holding(app.down(releases), async (all) => {
    for await (const release of all.names())
      if (target.split('/').at(-1) !== release.toString('latin1'))
        old.add(Buffer.concat([apps, name, releases, release]).toString('latin1'))
  })
}
