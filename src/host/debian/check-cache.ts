import type { Staged } from '../install/engine.ts'

/** The maximum to keep: files from a few templates have few shapes. */
const MAX_CACHED_CHECKS = 100

/**
 * Checks only the first of the files with one shape; those without a shape are all checked. Refusals are not cached.
 */
export function checkOncePerShape(
  shapeOf: (one: Staged) => string | undefined,
  check: (one: Staged) => Promise<unknown>,
): (one: Staged) => Promise<void> {
  const passed = new Set<string>()
  return async (one) => {
    const shape = shapeOf(one)
    if (shape !== undefined && passed.has(shape)) return
    await check(one)
    if (shape === undefined) return
    if (passed.size === MAX_CACHED_CHECKS) passed.clear()
    passed.add(shape)
  }
}
