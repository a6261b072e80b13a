import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(root, 'src/web/browser')
const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'))
const text = (name: string): string => readFileSync(join(folder, name), 'utf8')
const built = join(root, 'dist/web')
const manifest = JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as Record<string, string>
const bytes = (name: string): number => gzipSync(readFileSync(join(built, manifest[name]!)), { level: 6 }).length

describe('browser modules', () => {
  test('keeps the browser modules small', () => {
    expect(bytes('panel.js')).toBeLessThanOrEqual(3_000)
    const later = Object.keys(manifest).filter((name) => name !== 'panel.js')
    expect(later.toSorted()).toEqual(['draft.js', 'live.js', 'passkey.js', 'presets.js', 'search.js', 'upload.js'])
    for (const name of later) expect(bytes(name), name).toBeLessThanOrEqual(4_000)
    const lines = sources.reduce((sum, name) => sum + text(name).trimEnd().split('\n').length, 0)
    expect(lines).toBeLessThanOrEqual(750)
  })

  test('names the modules by their content, and bundles nothing else', () => {
    for (const file of Object.values(manifest)) expect(file).toMatch(/^[a-z]+-[A-Z0-9]{8}\.js$/)
    expect(readdirSync(built).toSorted()).toEqual([...Object.values(manifest), 'manifest.json'].toSorted())
  })

  test('creates elements from text in one place, and evaluates no text', () => {
    const sinks =
      /\.(inner|outer)HTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|createPolicy\(/
    expect(sources.filter((name) => sinks.test(text(name)))).toEqual(['html.ts'])
  })
})
