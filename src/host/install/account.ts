import {
  type AccountName,
  type AccountState,
  type HostArea,
  HostError,
  hostAreas,
  type ServerConfig,
} from '../driver.ts'
import { homeOf, logsOf, uidOf, userLineOf } from '../render/home.ts'
import { renderAccount } from '../render/index.ts'
import { ownerOf, type RenderedAreas, systemFile } from '../render/spec.ts'
import { type Manifest, manifestContent, manifestPath, readManifest, sameNames } from './manifest.ts'
import { before, type Plan, PlanBuilder } from './plan.ts'
import type { Tree } from './tree.ts'

/** The uid that holds a username on this host, if one does. */
function holder(tree: Tree, username: string): number | undefined {
  const line = tree.read(userLineOf(username))
  return line && uidOf(line.content)
}

function refuseTakenName(tree: Tree, { username, uid }: AccountState): void {
  const held = holder(tree, username) ?? uid
  if (held !== uid) throw new HostError('stage', `The name ${username} is still held by another account, uid ${held}.`)
}

/** Works out what makes the files of an account match its state. An account with new names is done whole. */
export function planAccount(
  tree: Tree,
  account: AccountState,
  server: ServerConfig,
  wanted: readonly HostArea[] = hostAreas,
): Plan {
  const manifest = readManifest(tree, account.id)
  const builder = new PlanBuilder(tree)
  refuseTakenName(tree, account)
  planMoves(builder, tree, account, manifest)
  const rendered = renderAccount(account, server, sameNames(manifest, account) ? wanted : hostAreas)
  planRendered(builder, rendered)
  planStale(builder, rendered, account.id, manifest)
  planManifest(builder, rendered, account, manifest)
  return builder.build(account.id)
}

function planMoves(builder: PlanBuilder, tree: Tree, account: AccountState, manifest: Manifest | undefined): void {
  const { username, mainDomain } = account
  const former = manifest?.username ?? account.formerUsername ?? username
  if (former !== username && holder(tree, former) === account.uid) moveHome(builder, tree, former, username)
  const formerDomain = manifest?.mainDomain ?? mainDomain
  if (formerDomain === mainDomain) return
  for (const kind of ['sites', 'mail']) {
    const base = `${homeOf(username)}/${kind}`
    moveWhereFree(builder, tree, `${base}/${formerDomain}`, `${base}/${mainDomain}`)
  }
}

function moveHome(builder: PlanBuilder, tree: Tree, former: string, username: string): void {
  if (tree.stat(homeOf(former)) && tree.stat(homeOf(username))) {
    throw new HostError('stage', `${homeOf(username)} exists already, so ${homeOf(former)} cannot become it.`)
  }
  moveWhereFree(builder, tree, homeOf(former), homeOf(username))
  moveWhereFree(builder, tree, logsOf(former), logsOf(username))
}

/** Where the customer already has something of the new name, both are kept as they are. */
function moveWhereFree(builder: PlanBuilder, tree: Tree, from: string, to: string): void {
  const [now, then] = [before(from, builder.moves), before(to, builder.moves)]
  if (tree.isPlainDir(now) && !tree.stat(then)) builder.move('users', from, to)
}

function planRendered(builder: PlanBuilder, rendered: RenderedAreas): void {
  for (const [area, { dirs, files }] of rendered) {
    for (const dir of dirs) builder.dir(dir, area)
    for (const file of files) builder.file(file, area)
  }
}

function planStale(builder: PlanBuilder, rendered: RenderedAreas, id: string, manifest: Manifest | undefined): void {
  const kept = new Set([...rendered.values()].flatMap(({ files }) => files.map(({ path }) => path)))
  for (const area of rendered.keys()) {
    for (const path of manifest?.files[area] ?? []) if (!kept.has(path)) takeAway(builder, path, id, area)
  }
}

/** A domain's file may by now be the new owner's of that domain; what is in a home is the customer's. */
function takeAway(builder: PlanBuilder, path: string, id: string, area: HostArea): void {
  if (!path.startsWith('home/')) builder.gone(path, (content) => (ownerOf(content) ?? id) === id, area)
}

function planManifest(
  builder: PlanBuilder,
  rendered: RenderedAreas,
  account: AccountState,
  former: Manifest | undefined,
): void {
  const { id, username, uid, mainDomain } = account
  const written = [...rendered].map(([area, { files }]) => [area, files.filter((f) => !f.once).map((f) => f.path)])
  const files: Manifest['files'] = { ...former?.files, ...Object.fromEntries(written) }
  const content = manifestContent({ id, username, uid, mainDomain, files }).trimEnd()
  builder.file(systemFile(manifestPath(id), 0o600, [content]))
}

/** Works out what takes an account off the host. What is not known to be its own stays. */
export function planRemoval(tree: Tree, account: AccountName, trash: string): Plan {
  const manifest = readManifest(tree, account.id)
  const username = manifest?.username ?? account.username
  const builder = new PlanBuilder(tree)
  if (holder(tree, username) === account.uid) {
    const entry = `trash/${username}-${trash}-${account.id}`
    moveWhereFree(builder, tree, homeOf(username), entry)
    moveWhereFree(builder, tree, logsOf(username), `${entry}-logs`)
  }
  for (const area of hostAreas) {
    for (const path of manifest?.files[area] ?? []) takeAway(builder, path, account.id, area)
  }
  builder.gone(manifestPath(account.id), () => true)
  return builder.build(account.id)
}
