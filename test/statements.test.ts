import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const sources = ['src/areas', 'src/runtime'].flatMap((folder) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({ file: join(folder, file), source: readFileSync(join(folder, file), 'utf8') })),
)
const byHand = (source: string) => /\bsqlite\)?\s*\.prepare\b/.test(source)

describe('statements written by hand', () => {
  it('finds them only in files that are named for it', () => {
    const named = sources.filter(({ file }) => file.endsWith('.sql.ts'))
    expect(sources.filter(({ source }) => byHand(source)).map(({ file }) => file)).toEqual(
      named.map(({ file }) => file),
    )
    expect(named.length).toBeGreaterThan(10)
  })

  it.each(sources.filter(({ file }) => file.endsWith('.sql.ts')))('finds a reason for them in $file', ({ source }) => {
    expect(/^\/\/ By hand(?::|, as) .*$/m.exec(source)?.[0]).toMatch(/bench\/sql\.ts|drizzle cannot/)
  })
})
