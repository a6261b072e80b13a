/** Only jobs that apply the desired state can replace one another. */
const lastWords = new Set(['update', 'apply', 'password'])

/** Whether a queued job of this kind also does the work of a later one for the same object, and may run again. */
export const coalesces = (kind: string): boolean => lastWords.has(kind.slice(kind.lastIndexOf('.') + 1))
