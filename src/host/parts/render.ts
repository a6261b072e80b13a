import type { ServerConfig } from '../contract/account.ts'
import type { AccountState } from '../contract/driver.ts'
import type { MachineFacts } from '../contract/facts.ts'
import { logsTrash, trashDir } from '../homes/home-paths.ts'
import { type AnyPart, type HostArea, parts } from './index.ts'
import { type Rendered, systemDir } from './spec.ts'

const all: readonly AnyPart[] = parts

export type RenderedParts = ReadonlyMap<HostArea, Rendered>

/** An account's files by part, in the order of application. */
export function renderAccount(
  { parts: states, ...core }: AccountState,
  server: ServerConfig,
  areas?: readonly HostArea[],
  facts: MachineFacts = {},
): RenderedParts {
  const stateOf: Readonly<Record<string, unknown>> = states
  const request = all.filter(({ name }) => areas?.includes(name) ?? true)
  return new Map(request.map((part) => [part.name, part.render(core, stateOf[part.name], server, facts)]))
}

const above = ['etc', 'etc/panel', 'etc/bind', 'var', 'var/lib', 'var/lib/panel-host', 'var/log']

/** What belongs to no account: the directories of fragments, and what all accounts share. */
export const renderedServer: Rendered = {
  dirs: [
    ...above.map((path) => ({ ...systemDir(path, 0o755), border: false })),
    ...all.flatMap(({ dirs }) => dirs),
    systemDir('var/lib/panel-host/manifest', 0o700),
    systemDir(trashDir, 0o700),
    systemDir(logsTrash, 0o700),
  ],
  files: all.flatMap(({ files }) => files ?? []),
}
