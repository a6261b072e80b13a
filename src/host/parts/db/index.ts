import { part } from '../part.ts'
import { nothing, ownerLine, systemDir, systemFile } from '../spec.ts'
import { emptyServer } from './actual.ts'
import { checkDb } from './check.ts'
import { planDb } from './plan.ts'

export type { DbState } from './state.ts'

/** The account's databases, as the statements that create them on an empty server. */
export const db = part({
  name: 'db',
  dirs: [systemDir('etc/panel/db.d', 0o700)],
  check: checkDb,
  render(core, state) {
    const plan = planDb({ ...state, locked: core.suspended }, emptyServer)
    if (plan.length === 0) return nothing
    return {
      dirs: [],
      files: [systemFile(`etc/panel/db.d/${core.username}.sql`, 0o600, [ownerLine('#', core), ...plan])],
    }
  },
})
