import type { Edge } from './walls.ts'

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Who imports whom, with files mapped by `roomOf`; unmapped files are omitted. */
export function graphOf(edges: readonly Edge[], roomOf: (file: string) => string | undefined): Graph {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of edges) {
    const [one, other] = [roomOf(from), roomOf(to)]
    if (one === undefined || other === undefined || one === other) continue
    graph.set(one, (graph.get(one) ?? new Set()).add(other))
  }
  return graph
}

/** Nodes that can reach themselves, each with the path. */
export const circlesIn = (graph: Graph): string[] =>
  [...graph.keys()].flatMap((start) => {
    const path = pathBack(graph, start)
    return path ? [path.join(' -> ')] : []
  })

function pathBack(graph: Graph, start: string): string[] | undefined {
  const paths: string[][] = [[start]]
  const seen = new Set<string>()
  for (let path = paths.shift(); path; path = paths.shift()) {
    for (const next of graph.get(path.at(-1)!) ?? []) {
      if (next === start) return [...path, next]
      if (!seen.has(next)) paths.push([...path, next])
      seen.add(next)
    }
  }
  return undefined
}
