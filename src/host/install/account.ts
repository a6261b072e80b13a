import type { AccountName, ServerConfig } from '../account.ts'
import type { AccountState } from '../driver.ts'
import { HostError } from '../error.ts'
import { homeOf, logsOf, uidOf, userLineOf } from '../home.ts'
import { type AnyPart, type HostArea, parts } from '../parts/index.ts'
import { type RenderedParts, renderAccount } from '../render.ts'
import { ownerOf, systemFile } from '../spec.ts'
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
  wanted?: readonly HostArea[],
): Plan {
  const manifest = readManifest(tree, account.id)
  const builder = new PlanBuilder(tree)
  refuseTakenName(tree, account)
  planMoves(builder, tree, account, manifest)
  const rendered = renderAccount(account, server, sameNames(manifest, account) ? wanted : undefined)
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
  for (const { name, named } of parts as readonly AnyPart[]) {
    const to = named?.(account, mainDomain) ?? []
    for (const [n, from] of (named?.(account, formerDomain) ?? []).entries())
      moveWhereFree(builder, tree, from, to[n]!, name)
  }
}

function moveHome(builder: PlanBuilder, tree: Tree, former: string, username: string): void {
  if (tree.stat(homeOf(former)) && tree.stat(homeOf(username))) {
    throw new HostError('stage', `${homeOf(username)} exists already, so ${homeOf(former)} cannot become it.`)
  }
  moveWhereFree(builder, tree, homeOf(former), homeOf(username), 'users')
  moveWhereFree(builder, tree, logsOf(former), logsOf(username), 'users')
}

/** Where the customer already has something of the new name, both are kept as they are. */
function moveWhereFree(builder: PlanBuilder, tree: Tree, from: string, to: string, area: HostArea): void {
  const [now, then] = [before(from, builder.moves), before(to, builder.moves)]
  if (tree.isPlainDir(now) && !tree.stat(then)) builder.move(area, from, to)
}

function planRendered(builder: PlanBuilder, rendered: RenderedParts): void {
  for (const [area, { dirs, files }] of rendered) {
    for (const dir of dirs) builder.dir(dir, area)
    for (const file of files) builder.file(file, area)
  }
}

function planStale(builder: PlanBuilder, rendered: RenderedParts, id: string, manifest: Manifest | undefined): void {
  const kept = new Set([...rendered.values()].flatMap(({ files }) => files.map(({ path }) => path)))
  for (const area of rendered.keys()) {
    for (const path of manifest?.files[area] ?? []) if (!kept.has(path)) takeAway(builder, path, id, area)
  }
}

/** A domain's file may by now be the new owner's of that domain; what is in a home is the customer's. */
function takeAway(builder: PlanBuilder, path: string, id: string, area?: HostArea): void {
  if (!path.startsWith('home/')) builder.gone(path, (content) => (ownerOf(content) ?? id) === id, area)
}

function planManifest(
  builder: PlanBuilder,
  rendered: RenderedParts,
  account: AccountState,
  former: Manifest | undefined,
): void {
  const { id, username, uid, mainDomain } = account
  const written = [...rendered].map(([area, { files }]) => [area, files.filter((f) => !f.once).map((f) => f.path)])
  const files = { ...former?.files, ...Object.fromEntries(written) }
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
    moveWhereFree(builder, tree, homeOf(username), entry, 'users')
    moveWhereFree(builder, tree, logsOf(username), `${entry}-logs`, 'users')
  }
  for (const path of Object.values(manifest?.files ?? {}).flat()) takeAway(builder, path, account.id)
  builder.gone(manifestPath(account.id), () => true)
  return builder.build(account.id)
}
