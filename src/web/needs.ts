import type { Declaration } from '../contract/operation.ts'
import { readsOnly } from '../contract/operation.ts'

/** What a token must hold to do the same as a screen. */
export interface Needs {
  /** Any of these areas; absent where every token may. */
  readonly areas?: readonly string[]
  readonly write: boolean
  /** No token can: it belongs to the session. */
  readonly session: boolean
}

export function needsOf(declaration: Declaration, panel: 'admin' | 'user'): Needs {
  const { token, allow } = declaration
  const area = panel === 'user' ? token.account : token.admin
  const areas = area === 'any' || area === 'none' ? undefined : [area].flat()
  return {
    ...(areas && { areas }),
    write: !readsOnly(declaration),
    session: area === 'none' || allow === 'session' || declaration.panel !== undefined,
  }
}

/** The scope of a token that may do it, and no more: `dns:write`. */
export const scopeOf = ({ areas, write }: Needs): string | undefined =>
  areas && `${areas[0]}:${write ? 'write' : 'read'}`
