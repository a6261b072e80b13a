import { createHash } from 'node:crypto'

/** The variable that marks a tenant's processes, whatever session they move to. */
export const markName = 'PANEL_RUN'

/** The prefix of a host's marks; another panel on this machine has another. */
const hostMark = (root: string): string => createHash('sha256').update(root).digest('hex').slice(0, 16)

/** The prefix of the marks of an account's processes, or of all of a host's. */
export const markOf = (root: string, account = ''): string => `${hostMark(root)}/${account}`

export const runMarkOf = (root: string, account: string, run: string): string => `${markOf(root, account)}/${run}`
