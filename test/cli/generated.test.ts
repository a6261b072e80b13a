import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { generatedFiles, staleFiles } from '../../src/generate.ts'
import { ensureBuilt, root } from './run.ts'

test('generated files are those of the contract', async () => {
  expect(staleFiles(await generatedFiles()), 'run `npm run generate`').toEqual([])
})

const hasMandoc = spawnSync('mandoc', ['-h']).error === undefined

test.runIf(hasMandoc)('manual pages pass the linter', () => {
  const pages = readdirSync(join(root, 'man')).map((page) => join(root, 'man', page))
  const { stdout } = spawnSync('mandoc', ['-Tlint', ...pages], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

describe('the client as it is built', () => {
  let text = ''
  beforeAll(() => {
    ensureBuilt()
    text = readFileSync(join(root, 'dist/cli/main.js'), 'utf8')
  })

  test('is one file that loads nothing before it is needed', () => {
    expect(text.match(/^import .*$/gm)).toBeNull()
  })

  test('holds commander and no other package', () => {
    const packages = [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map((match) => match[1])
    expect([...new Set(packages)]).toEqual(['commander'])
  })

  test('never asks for the network by fetch', () => {
    expect(text).not.toMatch(/\bfetch\(/)
  })
})
