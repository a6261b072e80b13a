import { JobError } from '../../src/runtime/jobs/job-kind.ts'
import type { Json, TestPanel } from '../harness.ts'
import { learn } from '../jobs/fixtures.ts'

export const noticesOf = async (panel: TestPanel, account?: string): Promise<Json[]> =>
  (await panel.get(account === undefined ? '/notices' : `/accounts/${account}/notices`)).body.items

/** Makes jobs of a kind fail for good, until the returned function is called. */
export function failing(panel: TestPanel, name: string, message: string): () => void {
  const kind = panel.panel.runtime.kinds.get(name)!
  learn(panel, {
    ...kind,
    run: async () => {
      throw new JobError(message, true)
    },
  })
  return () => learn(panel, kind)
}
