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
    const way = wayBack(graph, start)
    return way ? [way.join(' -> ')] : []
  })

function wayBack(graph: Graph, start: string): string[] | undefined {
  const ways: string[][] = [[start]]
  const seen = new Set<string>()
  for (let way = ways.shift(); way; way = ways.shift()) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === start) return [...way, next]
      if (!seen.has(next)) ways.push([...way, next])
      seen.add(next)
    }
  }
  return undefined
}
