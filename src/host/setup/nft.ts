import type { Do } from './step.ts'

/** Deletes one of panel's own tables, if it exists. */
export const dropTable = async (run: Do, name: string): Promise<void> =>
  void (await run('/usr/sbin/nft', ['delete', 'table', 'inet', name]).catch(() => {}))
