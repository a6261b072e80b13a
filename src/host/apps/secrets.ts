import type { DeployOrder } from '../apps.ts'

/** What no line of a deploy's log may show. */
export function secretsOf({ app: { env }, secrets, source }: DeployOrder): string[] {
  const password = source.kind === 'git' ? [source.password ?? ''] : []
  return [...secrets.map((name) => env[name] ?? ''), ...password]
}
