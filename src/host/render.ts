import type { ServerConfig } from './account.ts'
import type { AccountState } from './driver.ts'
import type { MachineFacts } from './facts.ts'
import { logsTrash, trashDir } from './home.ts'
import { type AnyPart, type HostArea, parts } from './parts/index.ts'
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
  const given: Readonly<Record<string, unknown>> = states
  const wanted = all.filter(({ name }) => areas?.includes(name) ?? true)
  return new Map(wanted.map((part) => [part.name, part.render(core, given[part.name], server, facts)]))
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
