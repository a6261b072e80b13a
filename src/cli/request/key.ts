/** A random idempotency key. Loaded here, since most commands need none. */
export const randomKey = (): string => process.getBuiltinModule('node:crypto').randomUUID()
