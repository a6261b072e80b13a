import type { AccountName } from '../contract/account.ts'
import type { AccountState } from '../contract/driver.ts'
import { HostError } from '../contract/error.ts'
import { homeOf, logsOf, uidOf, userLineOf } from '../homes/home-paths.ts'
import { type AnyPart, type HostArea, parts } from '../parts/index.ts'
import type { Gone } from '../parts/part.ts'
import { before, type PlanBuilder } from './plan.ts'
import type { Tree } from './tree.ts'

/** The uid that holds a username on this host, if any. */
export function holder(tree: Tree, username: string): number | undefined {
  const line = tree.read(userLineOf(username))
  return line && uidOf(line.content)
}

export function refuseTakenName(tree: Tree, { username, uid }: AccountName): void {
  const holderUid = holder(tree, username) ?? uid
  if (holderUid !== uid)
    throw new HostError('stage', `The name ${username} is still held by another account, uid ${holderUid}.`)
}

/** Moves home and logs from the account's former name to its current one. */
export function moveHome(builder: PlanBuilder, tree: Tree, former: string, username: string): void {
  if (tree.stat(homeOf(former)) && tree.stat(homeOf(username))) {
    throw new HostError('stage', `${homeOf(username)} already exists, so ${homeOf(former)} cannot become it.`)
  }
  moveWhereFree(builder, tree, homeOf(former), homeOf(username), 'users')
  moveWhereFree(builder, tree, logsOf(former), logsOf(username), 'users')
}

/** Moves each part's directories in the home from the former domain's name. */
export function moveNamed(builder: PlanBuilder, tree: Tree, account: AccountState, former: string): void {
  const states: Readonly<Record<string, unknown>> = account.parts
  for (const { name, named } of parts as readonly AnyPart[]) {
    const places = named?.(account, account.mainDomain, states[name]) ?? []
    for (const [n, from] of (named?.(account, former, states[name]) ?? []).entries())
      moveWhereFree(builder, tree, from, places[n]!, name)
  }
}

/** What parts call gone. */
export function goneOf(account: AccountState, areas: readonly HostArea[] | undefined): Gone[] {
  const states: Readonly<Record<string, unknown>> = account.parts
  const affected = (parts as readonly AnyPart[]).filter(({ name }) => areas?.includes(name) ?? true)
  return affected.flatMap(({ name, gone }) => gone?.(states[name]) ?? [])
}

/** If the target exists, both are kept as they are. */
export function moveWhereFree(builder: PlanBuilder, tree: Tree, from: string, to: string, area: HostArea): void {
  const [now, then] = [before(from, builder.moves), before(to, builder.moves)]
  if (tree.isPlainDir(now) && !tree.stat(then)) builder.move(area, from, to)
}
