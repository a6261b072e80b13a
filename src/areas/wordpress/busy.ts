import { Problem } from '../../contract/problem.ts'
import type { FullAccount } from '../accounts/store.ts'
import type { WordpressRow } from './tables.ts'

/** Refuses a site that a job is working on, or whose files are missing. */
export function refuseBusy({ status }: WordpressRow): void {
  if (status === 'active' || status === 'unhealthy') return
  throw new Problem('busy', status === 'missing' ? 'The files of the site are missing.' : `The site is ${status}.`)
}

/** The same for what runs the site's code, which a suspended account's site does not. */
export function refuseToRun({ username, suspended_at }: FullAccount, site: WordpressRow): void {
  if (suspended_at !== null) throw new Problem('suspended', `${username} is suspended.`)
  refuseBusy(site)
}
