import type { Runtime } from '../runtime.ts'
import { passwordsWaiting } from '../security/password.ts'
import { measureJobs } from './jobs.ts'
import { measureProcess } from './process.ts'
import { measureReplica } from './replica.ts'
import { measureStore } from './store.ts'

/** Registers all metrics of the runtime; returns a function that stops them. */
export function measureAll(runtime: Runtime): () => Promise<void> {
  const { metrics, store, clock } = runtime
  measureStore(metrics, store)
  measureJobs(runtime)
  metrics.gauge('panel_passwords_waiting', 'Passwords waiting to be checked.', passwordsWaiting)
  const ends = [measureProcess(metrics), measureReplica(metrics, store, clock)]
  return async () => {
    for (const end of ends) end()
  }
}
