import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findPrivateWords, readGlossary } from './names.mjs'

const glossary = readGlossary(readFileSync('docs/glossary.md', 'utf8'))
const wordsIn = (code: string, file = 'src/areas/dns/zones.ts') =>
  findPrivateWords(file, code, glossary).map(({ line, name, word }) => `${line} ${name} ${word}`)

describe('a private word', () => {
  it.each([
    ['a constant', 'const mostZones = 5', '1 mostZones most'],
    ['a parameter', 'export const a = (shownZone: Zone) => 1', '1 shownZone shown'],
    ['a type', 'interface Told {\n  readonly name: string\n}', '1 Told told'],
    ['a member', 'interface Zone {\n  readonly judged: boolean\n}', '2 judged judged'],
    ['a private field', 'class Zone {\n  #tidings = 1\n}', '2 tidings tidings'],
    ['a message', "throw new Error('The zone was mended.')", '1 mended mended'],
  ])('is found in %s', (_, code, finding) => {
    expect(wordsIn(code)).toEqual([finding])
  })

  it('is found in the name of a file', () => {
    expect(wordsIn('', 'src/areas/dns/fault.ts')).toEqual(['1 fault fault'])
  })

  it.each([
    ['a comment', '// The zone that was told is kept.'],
    ['a word that contains it', 'const almost = 1'],
    ['a use of a foreign name', 'export const a = row.kept'],
    ['plain words of a message', "throw new Error('The name is given twice.')"],
  ])('is not looked for in %s', (_, code) => {
    expect(wordsIn(code)).toEqual([])
  })

  it('is allowed where the glossary says why', () => {
    const allows = readGlossary(
      '## Names\n\n| `told` | input |\n\n## Allowed\n\n- `told` in `src/wire/`: a frame',
    ).allows
    expect([allows('told', 'src/wire/frame.ts'), allows('told', 'src/areas/a.ts')]).toEqual([true, false])
  })
})
