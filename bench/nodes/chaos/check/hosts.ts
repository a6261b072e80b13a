import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifestFolder } from '../../../../src/host/install/manifest.ts'
import type { Json, World } from '../../world.ts'
import type { State } from './state.ts'

/** Read from the disks: each account lies on its node with its own uid, and on no other. */
export function hostProblems(world: World, { accounts }: State): string[] {
  return [...world.roots].flatMap(([node, root]) => {
    const current = [...accounts.values()].filter((account) => (account.node ?? 'local') === node)
    return [...homesOf(node, root, current), ...manifestsOf(node, root, current)]
  })
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

function homesOf(node: string, root: string, current: readonly Json[]): string[] {
  const there = new Set(namesIn(join(root, 'home')).filter((name) => /^u\d+$/.test(name)))
  const expected = new Set(current.map(({ username }) => username as string))
  return [
    ...[...expected].filter((name) => !there.has(name)).map((name) => `${name}: no home on ${node}`),
    ...[...there].filter((name) => !expected.has(name)).map((name) => `${name}: a home on ${node}, unasked`),
  ]
}

function manifestsOf(node: string, root: string, current: readonly Json[]): string[] {
  const folder = join(root, manifestFolder)
  const files = namesIn(folder).filter((name) => /^[0-9A-Z]{26}\.json$/.test(name))
  const found = files.map((name): Json => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const uids = new Map(found.map(({ id, uid }) => [id, uid]))
  const twice = found.filter(({ uid }, n) => found.findIndex((other) => other.uid === uid) !== n)
  return [
    ...twice.map(({ username, uid }) => `${username}: uid ${uid} is another's on ${node} too`),
    ...current
      .filter(({ id, uid }) => uids.get(id) !== uid)
      .map(({ id, username, uid }) => `${username}: uid ${uid}, on ${node} it is ${uids.get(id)}`),
  ]
}
