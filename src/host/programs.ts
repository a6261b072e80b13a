import type { AccountName } from './account.ts'

/** Programs of the machine that are opened by a link, each for what is one account's. */
export const programNames = ['phpmyadmin', 'webmail'] as const
export type ProgramName = (typeof programNames)[number]

/** What a link is to open. */
export interface ProgramOrder {
  readonly account: AccountName
  readonly program: ProgramName
  /** The mailbox that webmail opens; phpMyAdmin opens the account's databases. */
  readonly mailbox?: string | undefined
}

/** How long a link can be followed, in milliseconds. */
export const linkLife = 60_000

export interface HostPrograms {
  /** Lets in the first who brings the token, while the link lasts. */
  open(order: ProgramOrder): Promise<{ readonly token: string }>
}
