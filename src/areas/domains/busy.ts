import { Problem } from '../../contract/problem.ts'
import type { DomainRow } from './tables.ts'

/** 409 `busy` for a domain being deleted. */
export function refuseBeingDeleted({ name, status }: DomainRow): void {
  if (status === 'deleting') throw new Problem('busy', `${name} is being deleted.`)
}
