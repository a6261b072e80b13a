import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'

/** Makes one object, or nothing: what a rule of its area refuses is returned as the reason. */
export function attempt(ctx: Context, act: () => void): string | undefined {
  const { sqlite } = ctx.store
  sqlite.exec('SAVEPOINT import_object')
  try {
    act()
    sqlite.exec('RELEASE import_object')
    return undefined
  } catch (error) {
    sqlite.exec('ROLLBACK TO import_object')
    sqlite.exec('RELEASE import_object')
    if (error instanceof Problem) return error.message
    throw error
  }
}
