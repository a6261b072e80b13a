import { savedContexts } from './file.ts'
import { localName } from './name.ts'

/** The context names, and what each is. */
export function contextOffers(): (readonly [string, string])[] {
  const { contexts } = savedContexts()
  return [
    ...Object.entries(contexts).map(([name, { url }]) => [name, url] as const),
    [localName, 'The local socket'] as const,
  ]
}
