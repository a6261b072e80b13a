import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine } from '../../src/shared/csv.ts'
import { runs } from '../fuzz.ts'

/** Reads a line as RFC 4180 says, and as spreadsheets do. */
function read(line: string): string[] {
  const cells: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (let found = cell.exec(line); found; found = cell.exec(line)) {
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2]!)
    if (found[3] === '\r\n') expect(cell.lastIndex).toBe(line.length)
  }
  return cells
}

test('any cells come back, none of them as a formula', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.array(fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', "'", 'a', '\\n', '1'), { maxLength: 6 }),
  )
  const cells = fc.array(
    text.map((one) => [one].flat().join('')),
    { minLength: 1, maxLength: 6 },
  )
  fc.assert(
    fc.property(cells, (written) => {
      const line = csvLine(written)
      const got = read(line)
      expect(got.map((cell, at) => (cell === `'${written[at]}` ? written[at] : cell))).toEqual(written)
      for (const cell of got) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
    }),
    runs(2_000),
  )
})
