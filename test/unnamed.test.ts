import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { areas } from '../src/areas/index.ts'
import { operationList } from '../src/contract/index.ts'

const sourcesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file: join(folder, file), code: codeOf(readFileSync(join(folder, file), 'utf8')) }))

/** Without comments: they may explain by example. */
const codeOf = (source: string) => source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

const tablesOf = (source: string) => [...source.matchAll(/sqliteTable\(\s*'(\w+)'/g)].map(([, name]) => name!)
const areaTables = sourcesBelow('src/areas').flatMap(({ code }) => tablesOf(code))
const paths = new Set(operationList.map(({ path }) => `/${path.split('/')[1]}`))
const settings = sourcesBelow('src/areas').flatMap(({ code }) =>
  [...code.matchAll(/interface Settings \{([^}]*)\}/g)].flatMap(([, body]) =>
    [...body!.matchAll(/(\w+):/g)].map(([, name]) => name!),
  ),
)
const signals = ['delivery', 'orphans']

const namedIn = (code: string) => [
  ...areaTables.filter((name) =>
    new RegExp(`(FROM|INTO|UPDATE|JOIN|TABLE|ON|REFERENCES) ${name}\\b|['"\`]${name}['"\`]`).test(code),
  ),
  ...settings.filter((name) => new RegExp(`\\b${name}\\b`).test(code)),
  ...[...paths].filter((path) => new RegExp(`['"\`]${path}\\b`).test(code)),
  ...signals.filter((name) => new RegExp(`['"\`]${name}['"\`]|^ +${name}:`, 'm').test(code)),
  ...areas.map(({ name }) => `areas/${name}`).filter((name) => code.includes(name)),
]

describe('names of areas in the runtime and the store', () => {
  it('detects names of areas', () => {
    expect(areaTables).toEqual(expect.arrayContaining(['accounts', 'tokens', 'webhooks']))
    expect(settings).toEqual(expect.arrayContaining(['next_uid', 'license_valid_until']))
    expect(namedIn(`const sql = 'UPDATE accounts'; const path = '/accounts/{id}'`)).toEqual(['accounts', '/accounts'])
  })

  it.each([...sourcesBelow('src/runtime'), ...sourcesBelow('src/store')])('names no area in $file', ({ code }) => {
    expect(namedIn(code)).toEqual([])
  })
})
