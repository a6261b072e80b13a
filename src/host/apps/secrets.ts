import type { DeployOrder } from '../apps.ts'

/** What must not appear in a deploy's log. */
export function secretsOf({ app: { env }, secrets, source }: DeployOrder): string[] {
  const password = source.kind === 'git' ? [source.password ?? ''] : []
  return [...secrets.map((name) => env[name] ?? ''), ...password]
}
