import { type Declaration, readsOnly } from '../contract/operation.ts'
import type { Needs } from './kit/say.tsx'

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

/** The minimal token scope for it: `dns:write`. */
export const scopeOf = ({ areas, write }: Needs): string | undefined =>
  areas && `${areas[0]}:${write ? 'write' : 'read'}`
