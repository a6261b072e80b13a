import type { DeployRequest } from '../contract/commands/apps.ts'

/** What must not appear in a deploy's log. */
export function secretsOf({ app: { env }, secrets, source }: DeployRequest): string[] {
  const password = source.kind === 'git' ? [source.password ?? ''] : []
  return [...secrets.map((name) => env[name] ?? ''), ...password]
}
