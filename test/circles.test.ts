import { describe, expect, it } from 'vitest'
import { circlesIn, graphOf } from './circles.ts'
import { edgesBelow } from './walls.ts'

const edges = edgesBelow('src').filter(({ lazy }) => !lazy)
const isFile = (to: string) => (/\.(tsx?|json)$/.test(to) ? to : undefined)
const areaOf = (file: string) => /^areas\/([^/]+)\//.exec(file)?.[1]

describe('imports, types included', () => {
  it('finds no import that leads back to the same file', () => {
    expect(circlesIn(graphOf(edges, isFile))).toEqual([])
  })

  it('finds no import that leads back to the same area', () => {
    const areas = graphOf(edges, areaOf)
    expect([...areas.keys()]).toContain('accounts')
    expect(circlesIn(areas)).toEqual([])
  })

  it('finds imports that lead back where there are some', () => {
    const found = graphOf(
      [
        { from: 'a.ts', to: 'b.ts', lazy: false },
        { from: 'b.ts', to: 'c.ts', lazy: false },
        { from: 'c.ts', to: 'b.ts', lazy: false },
      ],
      isFile,
    )
    expect(circlesIn(found)).toEqual(['b.ts -> c.ts -> b.ts', 'c.ts -> b.ts -> c.ts'])
  })
})
