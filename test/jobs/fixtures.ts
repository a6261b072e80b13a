import type { JobKind } from '../../src/runtime/jobs/job-kind.ts'
import { enqueue } from '../../src/runtime/jobs/queue.ts'
import type { Json, TestPanel } from '../harness.ts'

/** Adds a kind of job to a running panel. */
export const learn = (panel: TestPanel, kind: JobKind): void =>
  void (panel.panel.runtime.kinds as Map<string, JobKind>).set(kind.kind, kind)

/** Queues a job as root, of no account. */
export function queue(panel: TestPanel, kind: string): Promise<string> {
  const { runtime } = panel.panel
  const root = { type: 'root', id: runtime.id(), name: 'root', via: 'cli' } as const
  return panel.store.change(() => enqueue(runtime, { kind }, root, 'a test'))
}

export const job = async (panel: TestPanel, id: string): Promise<Json> => (await panel.get(`/jobs/${id}`)).body.job

/** The steps that jobs of a kind report from now on, among those it declares. */
export function listen(panel: TestPanel, name: string): string[] {
  const kind = panel.panel.runtime.kinds.get(name)!
  const output: string[] = []
  const hear = (step: string) =>
    void (kind.steps!.includes(step as never) && output.at(-1) !== step && output.push(step))
  learn(panel, {
    ...kind,
    run: (running) =>
      kind.run({
        ...running,
        step(step) {
          hear(step)
          running.step(step)
        },
      }),
  })
  return output
}
