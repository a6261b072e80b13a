import type { AccountState, ServerConfig } from '../../driver.ts'
import type { ProbeResult } from '../../inspection.ts'
import type { Run } from '../commands.ts'
import type { Suite } from '../suite.ts'

/** What a probe is told. */
export interface Probed {
  readonly account: AccountState
  readonly server: ServerConfig
  readonly run: Run
  readonly suite: Suite
}

/** Asks a service for what it should answer of an account, as anybody outside would. Changes nothing that stays. */
export type Probe = (probed: Probed) => Promise<readonly ProbeResult[]>

/** A probe that throws has failed, in the words of the error. */
export async function tried(probe: string, ask: () => Promise<string>): Promise<ProbeResult> {
  try {
    return { probe, ok: true, message: await ask() }
  } catch (error) {
    return { probe, ok: false, message: (error as Error).message }
  }
}
