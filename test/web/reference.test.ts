import { expect, test } from 'vitest'
import { operationList } from '../../src/contract/index.ts'
import { openapi } from '../../src/contract/openapi.ts'
import { startPanel } from '../harness.ts'
import { policy } from './visitor.ts'

const origin = 'https://host.example:7711'
// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
const document = openapi() as any
const visit = async (path: string) =>
  (await startPanel()).get(`${origin}${path}`, { from: '198.51.100.7', headers: { Accept: 'text/html' } })

/** The section of the page about one operation or schema. */
const partOf = (page: string, id: string): string => page.split(`id="${id}"`)[1]?.split('</details>')[0] ?? ''
const codes = (part: string): string[] => [...part.matchAll(/<code>([^<]*)<\/code>/g)].map(([, text]) => text!)

test('the reference shows every operation with method, path, parameters, fields and problems, to anyone', async () => {
  const { status, body: page } = await visit('/docs')
  expect(status).toBe(200)
  for (const op of operationList) {
    const part = partOf(page, op.id)
    const entry = document.paths[op.path][op.method]
    expect(page, op.id).toContain(`<b class="method">${op.method.toUpperCase()}</b> <code>${op.path}</code>`)
    const fields = [op.params, op.query, op.body].flatMap((schema) =>
      Object.keys((schema as { shape?: object } | undefined)?.shape ?? {}),
    )
    expect(codes(part), op.id).toEqual(expect.arrayContaining(fields))
    for (const code of entry['x-panel'].problems) expect(part, op.id).toContain(`href="/problems/${code}"`)
  }
  for (const [name, schema] of Object.entries<{ properties?: object }>(document.components.schemas))
    expect(codes(partOf(page, name)), name).toEqual(expect.arrayContaining(Object.keys(schema.properties ?? {})))
})

test('the reference loads nothing external, runs no script, and has no broken link', async () => {
  const { headers, body: page } = await visit('/docs')
  expect(headers.get('content-security-policy')).toBe(policy)
  expect(page).not.toMatch(/<script|style=|<img|src=/)
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const links = new Set([...page.matchAll(/ href="([^"]+)"/g)].map(([, link]) => link!))
  for (const link of links) {
    if (link.startsWith('#')) expect(ids).toContain(link.slice(1))
    else expect(link).toMatch(/^\/(assets|problems|api)\//)
  }
  for (const link of [...links].filter((one) => one.startsWith('/assets/')))
    expect((await visit(link)).status, link).toBe(200)
})
