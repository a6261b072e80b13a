import type { SavedSession } from '../target/target.ts'

/** Below this path a panel's session lives. */
export const sessionPath = (panel: SavedSession['panel'], verb: string): string =>
  panel === 'user' ? `/user/auth/${verb}` : `/auth/${verb}`
