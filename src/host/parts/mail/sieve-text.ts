/** Quotes a Sieve string. */
export const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`
