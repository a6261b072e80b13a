import type { JobKind } from '../jobs/job-kind.ts'
import type { Runtime } from '../runtime.ts'
import type { Area, Outside } from './area.ts'
import type { Ports, Services } from './ports.ts'

/** Merges what all areas declare of a kind, by name. A duplicate name would silently hide another. */
export function union<T>(what: string, parts: readonly (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  const all: Record<string, T> = {}
  for (const [name, value] of parts.flatMap((part) => Object.entries(part ?? {}))) {
    if (Object.hasOwn(all, name)) throw new Error(`Two areas have a ${what} ${name}`)
    all[name] = value
  }
  return all
}

/** Finders and services are passed separately, so that the compiler sees a missing one where the areas are listed. */
export const portsOf = (areas: readonly Area[], finders: object, services: Services): Ports => ({
  ...services,
  finders: new Map(Object.entries(finders)),
  onJob: areas.flatMap(({ onJob }) => onJob ?? []),
  onEvent: areas.flatMap(({ onEvent }) => onEvent ?? []),
  onPrune: areas.flatMap(({ onPrune }) => onPrune ?? []),
})

/** Every kind of job. */
export function kindsOf(runtime: Runtime, outside: Outside): ReadonlyMap<string, JobKind> {
  const kinds = runtime.areas.map(({ jobs }) => (jobs?.(runtime, outside) ?? []).map((kind) => [kind.kind, kind]))
  return new Map(
    Object.entries(
      union(
        'job',
        kinds.map((some) => Object.fromEntries(some)),
      ),
    ),
  )
}
