import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packing } from '../../src/web/http/responses.ts'
import { sideOf } from '../../src/web/kit/page-scope.ts'
import { type Reply, startPanel } from '../harness.ts'
import { declared, makeVisited, pages } from './map.ts'
import { policy, textOf } from './visitor.ts'

const inlined = /<script(?! type="module" src="\/assets\/)|\sstyle="|\son[a-z]+="/
const leaked = />(?:undefined|NaN|null|\[object Object\])</

/** What is wrong with a page. */
function errorsOf({ status, body, headers }: Reply): string[] {
  const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  const size = gzipSync(body, packing).length
  const files = new Set([...body.matchAll(/(?:href|src)="(\/assets\/[^"#]+)/g)].map(([, file]) => file))
  const checks: readonly (readonly [boolean, string])[] = [
    [status === 200, `answers ${status}: ${textOf(body).slice(0, 300)}`],
    [body.match(/<h1[ >]/g)?.length === 1, 'has not one h1'],
    [headers.get('content-security-policy') === policy, 'has another policy'],
    [!inlined.test(body), `holds a script or a style: ${inlined.exec(body)}`],
    [!leaked.test(body), `shows ${leaked.exec(body)}`],
    [new Set(ids).size === ids.length, `has ids twice: ${ids.filter((id, at) => ids.indexOf(id) !== at)}`],
    [size <= 6_000, `is ${size} bytes`],
    [files.size <= 5, `asks for ${files.size} files`],
  ]
  return checks.flatMap(([isWell, error]) => (isWell ? [] : [error]))
}

test('every page of the map is complete, small, safe, and for its own panel', { timeout: 60_000 }, async () => {
  const panel = await startPanel()
  const { customer, root, addressOf } = await makeVisited(panel)
  const onFailPoint: Record<string, string[]> = {}
  for (const page of pages) {
    const { base, screen } = page
    const address = addressOf(page)
    const found = errorsOf(await (base === '/user' ? customer : root).get(address))
    const other = await (base === '/user' ? root : customer).get(address)
    if (other.status !== 303) found.push(`answers ${other.status} in the other panel`)
    if (found.length > 0) onFailPoint[base + screen.path] = found
  }
  expect(onFailPoint).toEqual({})
})

test('every page has its own address and a title', () => {
  const addresses = declared.map(({ shows, only = '', path }) => `${sideOf({ shows })} ${only} ${path}`)
  expect(new Set(addresses).size).toBe(addresses.length)
  expect(declared.filter(({ title }) => title === '')).toEqual([])
})
