import type { AccountName, Revision, ServerConfig } from '../contract/account.ts'
import type { AccountState } from '../contract/driver.ts'
import type { MachineFacts } from '../contract/facts.ts'
import { homeOf, isInHome, logsOf, logsTrash, trashDir } from '../homes/home-paths.ts'
import type { HostArea } from '../parts/index.ts'
import { type RenderedParts, renderAccount } from '../parts/render.ts'
import { ownerOf, systemFile } from '../parts/spec.ts'
import { type Manifest, manifestContent, manifestPath, readManifest, sameNames, unionOf } from './manifest.ts'
import { holder, moveHome, moveNamed, moveWhereFree, refuseTakenName } from './names.ts'
import { type Plan, PlanBuilder } from './plan.ts'
import type { Tree } from './tree.ts'

/** An account's desired state, and the areas that a job is about: all of them by default. */
export interface DesiredAccount {
  readonly account: AccountState
  readonly server: ServerConfig
  readonly areas?: readonly HostArea[] | undefined
  readonly order?: Revision | undefined
  /** Files that it may have besides those in its manifest. */
  readonly wrote?: Manifest['files'] | undefined
  /** After a power loss: files that are written only once may be missing or empty. */
  readonly again?: boolean
  /** Leaves out the inside of a new home, too: only its owner may create that. */
  readonly homeApart?: boolean
  readonly facts?: MachineFacts | undefined
}

/** An account's plan; `withHome` if it covers the inside of the home. */
export interface AccountPlan extends Plan {
  readonly withHome: boolean
  /** What the panel has written for the account, or writes now. */
  readonly files: Manifest['files']
}

/** The transaction key of an account's home. */
export const homeKey = (id: string) => `${id}-home`

/** The keys of all transactions of an account. */
export const keysOf = (id: string) => [id, homeKey(id)]

/** The account that a transaction key belongs to. */
export const accountOf = (key: string) => key.slice(0, 26)

/**
 * Plans how to make an account's files match its state. A renamed account is planned as a whole. The inside of the home
 * is left to `planHome`, so that its owner cannot block the rest, unless the home does not exist yet.
 */
export function planAccount(
  tree: Tree,
  { account, server, areas, wrote, again, homeApart, facts }: DesiredAccount,
): AccountPlan {
  const manifest = readManifest(tree, account.id)
  const builder = new PlanBuilder(tree, again)
  refuseTakenName(tree, account)
  planRename(builder, tree, account, manifest)
  const rendered = renderAccount(account, server, sameNames(manifest, account) ? areas : undefined, facts)
  const isNew = !homeApart && builder.moves.length === 0 && !tree.stat(homeOf(account.username))
  planRendered(builder, rendered, (path) => isNew || !isInHome(path))
  const known = unionOf(manifest?.files, wrote)
  planStale(builder, rendered, account.id, known)
  planManifest(builder, account, { ...manifest?.files, ...filesOf(rendered) }, isNew ? undefined : domainOf(manifest))
  return { ...builder.build(account.id), withHome: isNew, files: unionOf(known, filesOf(rendered)) }
}

/** Plans how to make the inside of a home match the account's state, once the rest of it does. */
export function planHome(tree: Tree, { account, server, areas, again }: DesiredAccount): Plan {
  const manifest = readManifest(tree, account.id)
  const builder = new PlanBuilder(tree, again)
  const former = manifest?.homeDomain
  if (former !== undefined) moveNamed(builder, tree, account, former)
  const request = former === undefined ? areas : undefined
  planRendered(builder, renderAccount(account, server, request), isInHome)
  if (manifest) planManifest(builder, account, manifest.files)
  return builder.build(homeKey(account.id))
}

function planRename(builder: PlanBuilder, tree: Tree, account: AccountState, manifest: Manifest | undefined): void {
  const { username, uid, formerUsername } = account
  const former = manifest?.username ?? formerUsername ?? username
  if (former !== username && (holder(tree, former) ?? manifest?.uid) === uid) moveHome(builder, tree, former, username)
}

function planRendered(builder: PlanBuilder, rendered: RenderedParts, request: (path: string) => boolean): void {
  for (const [area, { dirs, files }] of rendered) {
    for (const dir of dirs) if (request(dir.path)) builder.dir(dir, area)
    for (const file of files) if (request(file.path)) builder.file(file, area)
  }
}

function planStale(builder: PlanBuilder, rendered: RenderedParts, id: string, files: Manifest['files']): void {
  const retained = new Set([...rendered.values()].flatMap(({ files }) => files.map(({ path }) => path)))
  for (const area of rendered.keys()) {
    for (const path of files[area] ?? []) if (!retained.has(path)) removeFile(builder, path, id, area)
  }
}

/** A domain's file may by now belong to the domain's new owner; what is in a home is the customer's. */
function removeFile(builder: PlanBuilder, path: string, id: string, area?: HostArea): void {
  if (!path.startsWith('home/')) builder.gone(path, (content) => (ownerOf(content) ?? id) === id, area)
}

const filesOf = (rendered: RenderedParts): Manifest['files'] =>
  Object.fromEntries([...rendered].map(([area, { files }]) => [area, files.filter((f) => !f.once).map((f) => f.path)]))

/** The domain that the home's content is named after. */
const domainOf = (manifest: Manifest | undefined) => manifest?.homeDomain ?? manifest?.mainDomain

function planManifest(builder: PlanBuilder, account: AccountName, files: Manifest['files'], inHome?: string): void {
  const { id, username, uid, mainDomain } = account
  const homeDomain = inHome === mainDomain ? undefined : inHome
  const content = manifestContent({ id, username, uid, mainDomain, homeDomain, files }).trimEnd()
  builder.file(systemFile(manifestPath(id), 0o600, [content]))
}

/** Plans the removal of an account from the host. What is not known to be its own stays. */
export function planRemoval(tree: Tree, account: AccountName, trash: string): Plan {
  const manifest = readManifest(tree, account.id)
  const username = manifest?.username ?? account.username
  const builder = new PlanBuilder(tree)
  if ((holder(tree, username) ?? manifest?.uid) === account.uid) {
    const entry = `${username}-${trash}-${account.id}`
    moveWhereFree(builder, tree, homeOf(username), `${trashDir}/${entry}`, 'users')
    moveWhereFree(builder, tree, logsOf(username), `${logsTrash}/${entry}`, 'users')
  }
  for (const path of Object.values(manifest?.files ?? {}).flat()) removeFile(builder, path, account.id)
  builder.gone(manifestPath(account.id), () => true)
  return builder.build(account.id)
}
