import type { ProbeResult } from '../../contract/commands/state.ts'
import type { AccountState, ServerConfig } from '../../contract/driver.ts'
import type { Run } from '../commands.ts'
import type { Suite } from '../suite.ts'

/** A probe's input. */
export interface Probed {
  readonly account: AccountState
  readonly server: ServerConfig
  readonly run: Run
  readonly suite: Suite
}

/** Queries a service about an account the way a client would. Leaves no changes behind. */
export type Probe = (probed: Probed) => Promise<readonly ProbeResult[]>

/** A probe that throws has failed, with the error's message. */
export async function tried(probe: string, ask: () => Promise<string>): Promise<ProbeResult> {
  try {
    return { probe, ok: true, message: await ask() }
  } catch (error) {
    return { probe, ok: false, message: (error as Error).message }
  }
}
