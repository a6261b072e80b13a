import type { Child } from 'hono/jsx'
import { asWritten, written } from './html.ts'

/** A value for everything inside its `Provider`. Pages render synchronously, so nothing else sees it. */
export function createContext<T>(outside: T) {
  let current = outside
  const Provider = ({ value, children }: { value: T; children?: Child }) => {
    const before = current
    current = value
    try {
      return asWritten(written(children))
    } finally {
      current = before
    }
  }
  return { Provider, now: () => current }
}
