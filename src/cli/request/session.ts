import type { SavedSession } from '../target/target.ts'

/** The base path of a panel's session endpoints. */
export const sessionPath = (panel: SavedSession['panel'], verb: string): string =>
  panel === 'user' ? `/user/auth/${verb}` : `/auth/${verb}`
