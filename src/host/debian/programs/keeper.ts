import type { ProgramRequest } from '../../contract/commands/programs.ts'
import type { Login } from './record.ts'

/** Manages the logins of one program. Its methods are idempotent. */
export interface Keeper {
  /** The login that opens only what is asked for; throws if there is none. */
  nameFor(order: ProgramRequest): string
  /** The hash to store with a new password. */
  cryptOf?(password: string): string
  /** Gives it access to what its account has now. `all`: all logins of the program, this one included. */
  open(login: Login, username: string, all: readonly Login[]): Promise<void>
  /** Waits until the new login works. */
  ready?(): Promise<void>
  /** Removes it and ends its sessions; `left`: the program's remaining logins. */
  end(login: Login, left: readonly Login[]): Promise<void>
}
