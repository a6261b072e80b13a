import { createHash } from 'node:crypto'

/** The variable by which a process that runs for a tenant is known, wherever it moved. */
export const markName = 'PANEL_RUN'

/** Begins every mark of a host; another panel on this machine has another. */
const hostMark = (root: string): string => createHash('sha256').update(root).digest('hex').slice(0, 16)

/** What an account's processes carry, or all of a host's: the beginning of the marks of what they run. */
export const markOf = (root: string, account = ''): string => `${hostMark(root)}/${account}`

export const runMarkOf = (root: string, account: string, run: string): string => `${markOf(root, account)}/${run}`
