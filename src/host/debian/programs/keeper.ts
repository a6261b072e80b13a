import type { ProgramOrder } from '../../programs.ts'
import type { Login } from './record.ts'

/** What makes the log-ins of one program. Each verb is safe to repeat. */
export interface Keeper {
  /** The log-in that opens what is asked for, and nothing else; throws where there is none. */
  nameFor(order: ProgramOrder): string
  /** What is kept beside a new password. */
  cryptOf?(password: string): string
  /** Has it open what its account has now. `all`: those of the program, this one among them. */
  open(login: Login, username: string, all: readonly Login[]): Promise<void>
  /** Waits until what was opened opens. */
  ready?(): Promise<void>
  /** Ends it and its sessions; `left`: those of the program that stay. */
  end(login: Login, left: readonly Login[]): Promise<void>
}
