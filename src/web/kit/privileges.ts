import type { Privilege } from '../../contract/common.ts'
import type { SessionView } from './screen.ts'

/** Whether an administrator's session has a privilege. */
export const holds = ({ is_root, acl = [] }: SessionView, privilege: Privilege): boolean =>
  is_root === true || acl.includes('all') || acl.includes(privilege)
