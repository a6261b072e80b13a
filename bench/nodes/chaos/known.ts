import type { Answer } from '../world.ts'

type Value = string | boolean

/** One thing that was acknowledged, and what may have been done beside it: sent later, with no answer. */
interface Fact {
  value: Value | undefined
  readonly doubtful: Set<Value>
}

/** What is known of one account by what was acknowledged. */
export class Known {
  readonly username: string
  id: string | undefined
  /** Where its records are. */
  zone: string | undefined
  /** Jobs that it was promised. */
  readonly jobs = new Set<string>()
  readonly #facts = new Map<string, Fact>()

  constructor(username: string) {
    this.username = username
  }

  get facts(): readonly string[] {
    return [...this.#facts.keys()]
  }

  value = (fact: string): Value | undefined => this.#facts.get(fact)?.value

  /** Takes an answer, or that there was none, to a change of a fact. */
  learn(fact: string, value: Value, { status, body }: Answer): void {
    const known = this.#facts.get(fact) ?? { value: undefined, doubtful: new Set() }
    this.#facts.set(fact, known)
    if (isDoubtful(status)) known.doubtful.add(value)
    if (status >= 300 || status === 0) return
    known.value = value
    known.doubtful.clear()
    if (body?.job_id) this.jobs.add(body.job_id)
  }

  /** Whether the store may say so. */
  allows(fact: string, value: Value | undefined): boolean {
    const known = this.#facts.get(fact)
    return !known || known.value === value || (value !== undefined && known.doubtful.has(value))
  }
}

/** What is refused by a sentence of its own was not done. */
export const isDoubtful = (status: number): boolean => status === 0 || status === 500
