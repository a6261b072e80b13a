import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../../world.ts'
import type { State } from './state.ts'

const folder = 'etc/bind/panel/zones'
const serial = /SOA\s+\S+\s+\S+\s+\(?\s*(\d+)/

/** Read from the disks of those who answer for all names: each zone stands there with its last serial. */
export const zoneProblems = (world: World, state: State): string[] =>
  state.nameServers.flatMap((node) => served(node, world.roots.get(node)!, state))

function served(node: string, root: string, { zones }: State): string[] {
  const place = join(root, folder)
  const files = existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.zone')) : []
  const serialIn = (file: string) => serial.exec(readFileSync(join(place, file), 'utf8'))?.[1]
  const there = new Map(files.map((file) => [file.slice(0, -'.zone'.length), serialIn(file)]))
  const expected = new Set(zones.map(({ name }) => name))
  const surplus = [...there.keys()].filter((name) => !expected.has(name))
  const wrong = zones.filter((zone) => there.get(zone.name) !== String(zone.serial))
  return [
    ...surplus.map((name) => `zone ${name}: on ${node}, unasked`),
    ...wrong.map(({ name, serial }) => `zone ${name}: serial ${serial}, on ${node} ${there.get(name) ?? 'none'}`),
  ]
}
