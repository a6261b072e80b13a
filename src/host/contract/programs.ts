import type { AccountName } from './account.ts'

/** The machine's programs that links open, each for one account's data. */
export const programNames = ['phpmyadmin', 'webmail'] as const
export type ProgramName = (typeof programNames)[number]

/** What a link opens. */
export interface ProgramRequest {
  readonly account: AccountName
  readonly program: ProgramName
  /** The mailbox that webmail opens; phpMyAdmin opens the account's databases. */
  readonly mailbox?: string | undefined
}

/** How long a link is valid, in milliseconds. */
export const linkLife = 60_000

export interface HostPrograms {
  /** Lets in the first bearer of the token, while the link is valid. */
  open(order: ProgramRequest): Promise<{ readonly token: string }>
}
