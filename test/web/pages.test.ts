import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { screens } from '../../src/areas/index.ts'
import { operations } from '../../src/contract/index.ts'
import type { Screen } from '../../src/web/kit/screen.ts'
import { type Reply, startPanel } from '../harness.ts'
import { makeWorld, pathIn, unknown, type World } from '../world.ts'
import { password, policy, textOf, Visitor } from './visitor.ts'

const declared = await screens()

/** Names in addresses that stand in a query of their operation. */
const named: Readonly<Record<string, string>> = { domain: 'alice.example', path: 'sites' }

/** What a page's address names, in order: the ids of its operation's path without the account's, then names. */
function addressOf(world: World, base: string, { shows, of, path }: Screen): string {
  const op = operations[shows]
  const filled = (pathIn(world, op) ?? op.path).split('/')
  const ids = op.path.split('/').flatMap((part, place) => (part.startsWith('{') ? [filled[place]!] : []))
  if (of === 'account' && op.path.startsWith('/accounts/{id}')) ids.shift()
  const names: typeof named = shows === 'readFile' ? { path: 'page.html' } : named
  const below = path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string) => ids.shift() ?? names[name] ?? unknown)
  return below === '/' && base.includes('/', 1) ? base : base + below
}

const bases = ({ of, only }: Screen): string[] =>
  [
    of === 'account' && only !== 'admin' ? '/user' : '',
    of === 'account' && only !== 'user' ? '/admin/accounts/alice' : '',
    of === 'server' ? '/admin' : '',
  ].filter(Boolean)

const pages = declared.flatMap((screen) => bases(screen).map((base) => ({ base, screen })))

const inlined = /<script(?! type="module" src="\/assets\/)|\sstyle="|\son[a-z]+="/
const leaked = />(?:undefined|NaN|null|\[object Object\])</

/** What is wrong with a page. */
function faultsOf({ status, body, headers }: Reply): string[] {
  const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  const size = gzipSync(body).length
  const checks: readonly (readonly [boolean, string])[] = [
    [status === 200, `answers ${status}: ${textOf(body).slice(0, 300)}`],
    [body.match(/<h1[ >]/g)?.length === 1, 'has not one h1'],
    [headers.get('content-security-policy') === policy, 'has another policy'],
    [!inlined.test(body), `holds a script or a style: ${inlined.exec(body)}`],
    [!leaked.test(body), `shows ${leaked.exec(body)}`],
    [new Set(ids).size === ids.length, `has ids twice: ${ids.filter((id, at) => ids.indexOf(id) !== at)}`],
    [size <= 6_000, `is ${size} bytes`],
  ]
  return checks.flatMap(([isWell, fault]) => (isWell ? [] : [fault]))
}

test('every page of the map is whole, small, safe, and for its own panel', { timeout: 60_000 }, async () => {
  const panel = await startPanel()
  const world = await makeWorld(panel)
  await panel.settle()
  writeFileSync(join(panel.dir, 'host/home/alice/page.html'), '<h1>')
  await panel.put('/root/password', { new_password: password })
  const customer = await new Visitor(panel).signIn('alice')
  const root = await new Visitor(panel).signIn('root', 'admin')
  const faults: Record<string, string[]> = {}
  for (const { base, screen } of pages) {
    const address = addressOf(world, base, screen)
    const found = faultsOf(await (base === '/user' ? customer : root).get(address))
    const other = await (base === '/user' ? root : customer).get(address)
    if (other.status !== 303) found.push(`answers ${other.status} in the other panel`)
    if (found.length > 0) faults[base + screen.path] = found
  }
  expect(faults).toEqual({})
})

test('no two pages have one address, and each has a title', () => {
  const addresses = declared.map(({ of, only = '', path }) => `${of} ${only} ${path}`)
  expect(new Set(addresses).size).toBe(addresses.length)
  expect(declared.filter(({ title }) => title === '')).toEqual([])
})
