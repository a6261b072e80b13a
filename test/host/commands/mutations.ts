const values: Readonly<Record<string, unknown>> = {
  missing: undefined,
  null: null,
  true: true,
  '-1': -1,
  '0.5': 0.5,
  '2^53': 2 ** 53,
  empty: '',
  word: 'weather',
  path: '../x',
  'two lines': 'a\nb',
  NUL: 'a\0b',
  long: 'a'.repeat(9000),
  list: [],
  'odd list': [{ weather: 'fine' }],
  object: {},
}

type Step = string | number
export interface Mutation {
  /** Where, and with what. */
  readonly path: string
  readonly change: string
  readonly value: unknown
}

/** A value with one thing changed in it: each field replaced by each odd value, and a field more in each object. */
export function* mutations(value: unknown): Generator<Mutation> {
  for (const steps of pathsIn(value)) {
    const path = ['', ...steps].join('.')
    for (const [change, odd] of Object.entries(values)) yield { path, change, value: replaced(value, steps, odd) }
    const found = at(value, steps)
    if (typeof found !== 'object' || found === null) continue
    if (Array.isArray(found))
      for (const count of [1000, 10_000, 100_000])
        yield { path, change: `${count} more`, value: replaced(value, steps, Array(count + 1).fill(found[0])) }
    else
      for (const field of ['weather', 'constructor'])
        yield { path, change: `with ${field}`, value: replaced(value, steps, { ...found, [field]: 'fine' }) }
  }
}

function* pathsIn(value: unknown, steps: readonly Step[] = []): Generator<readonly Step[]> {
  yield steps
  if (typeof value !== 'object' || value === null) return
  for (const [key, field] of Object.entries(value)) {
    if (Array.isArray(value) && key !== '0') return
    yield* pathsIn(field, [...steps, Array.isArray(value) ? 0 : key])
  }
}

const at = (value: unknown, steps: readonly Step[]): unknown =>
  steps.reduce((one, step) => (one as Record<Step, unknown>)[step], value)

function replaced(value: unknown, [step, ...rest]: readonly Step[], odd: unknown): unknown {
  if (step === undefined) return odd
  const field = replaced((value as Record<Step, unknown>)[step], rest, odd)
  if (!Array.isArray(value)) return { ...(value as object), [step]: field }
  return value.map((one, n) => (n === step ? field : one))
}

/** What came of each mutation, as lines of text: the outcome, and what led to it. */
export class Outcomes {
  readonly #lines = new Map<string, Map<string, string[]>>()

  add(where: string, change: string, outcome: string): void {
    const outcomes = this.#lines.get(where) ?? new Map<string, string[]>()
    this.#lines.set(where, outcomes)
    const line = outcome.replaceAll(/[\0\n]/g, encodeURI).replaceAll(/(.)\1{99,}/g, '$1…')
    outcomes.set(line, [...(outcomes.get(line) ?? []), change])
  }

  get text(): string {
    const lines = [...this.#lines].flatMap(([where, outcomes]) => [
      where,
      ...[...outcomes].map(([outcome, changes]) => `  ${outcome}: ${changes.join(', ')}`),
    ])
    return `${lines.join('\n')}\n`
  }
}
