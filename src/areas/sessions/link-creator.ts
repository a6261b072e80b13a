import type { Runtime } from '../../runtime/runtime.ts'
import { tokenLives } from '../tokens/store.ts'
import { maySignInAs, type Principal, principalOf } from './principal.ts'
import { type Maker, runningSession } from './store.ts'

/** Whether a link's creator could still create it: the token or session is valid, and the privilege is held. */
export function makerMayStill(runtime: Runtime, made: Maker, principal: Principal): boolean {
  const { maker_id, maker_token_id, maker_session_id } = made
  if (maker_id === null) return true
  if (maker_token_id !== null && !tokenLives(runtime, maker_token_id)) return false
  if (maker_session_id !== null && !isValid(runtime, maker_session_id)) return false
  return maySignInAs(runtime.store.db, maker_id, principal)
}

/** A session from a link that created another link: its own creator must still have the right. */
function isValid(runtime: Runtime, id: string): boolean {
  const row = runningSession(runtime, id)
  const principal = row && principalOf(runtime.store.db, row.panel, row.principal_type, row.principal_id)
  return row !== undefined && principal !== undefined && makerMayStill(runtime, row, principal)
}
