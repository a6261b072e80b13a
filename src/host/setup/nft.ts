import type { Do } from './step.ts'

/** Takes a table of panel's own away, if it is there. */
export const dropTable = async (run: Do, name: string): Promise<void> =>
  void (await run('/usr/sbin/nft', ['delete', 'table', 'inet', name]).catch(() => {}))
