import { type Directory, holding } from '../home/directory.ts'

const apps = Buffer.from('apps')
const releases = Buffer.from('releases')
const current = Buffer.from('current')

/** The releases of apps that are not the current one: their four names put together. */
export async function superseded(home: Directory): Promise<ReadonlySet<string>> {
  const old = new Set<string>()
  if (!(await home.find(apps))?.isDirectory()) return old
  await holding(home.down(apps), async (all) => {
    for await (const app of all.names())
      if ((await all.find(app))?.isDirectory()) await holding(all.down(app), (one) => addOld(one, app, old))
  })
  return old
}

async function addOld(app: Directory, name: Buffer, old: Set<string>): Promise<void> {
  if (!(await app.find(releases))?.isDirectory() || !(await app.find(current))?.isSymbolicLink()) return
  const target = (await app.readlink(current)).toString('latin1')
  await holding(app.down(releases), async (all) => {
    for await (const release of all.names())
      if (target.split('/').at(-1) !== release.toString('latin1'))
        old.add(Buffer.concat([apps, name, releases, release]).toString('latin1'))
  })
}
