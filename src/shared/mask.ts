const shortest = 6

/** Replaces secrets, and each line of multi-line ones, by `***`; short ones are kept, as they would hide too much. */
export function maskOf(secrets: readonly string[]): (text: string) => string {
  const parts = secrets.flatMap((secret) => [secret, ...secret.split(/[\r\n]+/)])
  const masked = [...new Set(parts.filter((part) => part.length >= shortest))]
  masked.sort((one, other) => other.length - one.length)
  return (text) => masked.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}
