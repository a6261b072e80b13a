import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { openapi } from '../src/contract/openapi.ts'

/** The linter's findings for a document, one per line. */
async function lint(document: object): Promise<string[]> {
  const config = await loadConfig({ configPath: 'redocly.yaml' })
  const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  return found.map((problem) => `${problem.ruleId}: ${problem.message} ${problem.location[0]?.pointer}`)
}

it('finds nothing wrong with the description of the API', async () => {
  expect(await lint(openapi())).toEqual([])
})

it('finds a missing licence and a wrong example', async () => {
  const document = structuredClone(openapi()) as { info: { license?: unknown }; webhooks: object }
  delete document.info.license
  const wrong = JSON.parse(JSON.stringify(document).replaceAll('"status":"active"', '"status":"asleep"'))
  const rules = (await lint(wrong)).map((line) => line.split(':')[0])
  expect(new Set(rules)).toEqual(new Set(['info-license', 'no-invalid-media-type-examples']))
})
