import type { Steps } from '../../../runtime/operations/slices.ts'

interface Visit {
  readonly node: string
  readonly next: readonly string[]
  position: number
}

/**
 * The groups of nodes that lead to each other (Tarjan's strongly connected components with a cycle), without recursion:
 * a chain may be as long as there are nodes.
 */
export function* cyclesIn(starts: Iterable<string>, next: (node: string) => readonly string[]): Steps<string[][]> {
  const search = new CycleSearch(next)
  for (const start of starts) {
    search.begin(start)
    while (search.step()) yield
  }
  return search.cycles
}

class CycleSearch {
  readonly cycles: string[][] = []
  readonly #next: (node: string) => readonly string[]
  readonly #order = new Map<string, number>()
  readonly #lowest = new Map<string, number>()
  readonly #path: Visit[] = []
  /** Nodes whose group is still open. */
  readonly #open: string[] = []
  readonly #isOpen = new Set<string>()

  constructor(next: (node: string) => readonly string[]) {
    this.#next = next
  }

  begin(node: string): void {
    if (this.#order.has(node)) return
    this.#lowest.set(node, this.#order.size)
    this.#order.set(node, this.#order.size)
    this.#open.push(node)
    this.#isOpen.add(node)
    this.#path.push({ node, next: this.#next(node), position: 0 })
  }

  /** Follows one edge, or leaves a node; false at the end. */
  step(): boolean {
    const visit = this.#path.at(-1)
    if (!visit) return false
    const to = visit.next[visit.position++]
    if (to === undefined) this.#leave(visit)
    else if (!this.#order.has(to)) this.begin(to)
    else if (this.#isOpen.has(to)) this.#lower(visit.node, this.#order.get(to)!)
    return true
  }

  #lower(node: string, to: number): void {
    this.#lowest.set(node, Math.min(this.#lowest.get(node)!, to))
  }

  #leave({ node, next }: Visit): void {
    this.#path.pop()
    const lowest = this.#lowest.get(node)!
    const before = this.#path.at(-1)
    if (before) this.#lower(before.node, lowest)
    if (lowest !== this.#order.get(node)) return
    const group = this.#open.splice(this.#open.lastIndexOf(node))
    for (const one of group) this.#isOpen.delete(one)
    if (group.length > 1 || next.includes(node)) this.cycles.push(group)
  }
}
