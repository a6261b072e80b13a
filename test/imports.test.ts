import { describe, expect, it } from 'vitest'
import { edgesBelow, edgesOf, isAllowed } from './walls.ts'

const arrow = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`

describe('import rules', () => {
  const edges = edgesBelow('src')

  it('finds the imports of the sources', () => {
    expect(edges.map(arrow)).toContain('contract/index.ts -> contract/operation.ts')
  })

  it('lets one file alone reach what composes the server', () => {
    const composing = edges.filter(({ to }) => to === 'server/compose.ts')
    expect(composing.map(({ from }) => from)).toEqual(['server/serve.ts'])
  })

  it('finds no forbidden import', () => {
    expect(edges.filter((edge) => !isAllowed(edge)).map(arrow)).toEqual([])
  })
})

describe('rule for an import', () => {
  it.each([
    ['contract/common.ts', `import { z } from 'zod'`],
    ['areas/tokens/store.ts', `import { accounts } from '../accounts/tables.ts'`],
    ['areas/accounts/jobs/index.ts', `import type { HostDriver } from '../../../host/contract/driver.ts'`],
    ['server/compose.ts', `import type { AgentClient } from '../host/agent/client/client.ts'`],
    ['host/agent/service/run.ts', `import { createDirectoryDriver } from '../../driver/file-driver.ts'`],
    ['areas/ftp/screens.tsx', `import { ftpHome } from './views/home.tsx'`],
    ['areas/ftp/views/home.tsx', `import { Page } from '../../../web/kit/components/page.tsx'`],
    ['server/screens.ts', `const { createScreens } = await import('../web/routes.tsx')`],
    ['cli/serve.ts', `const { serve } = await import('../server/serve.ts')`],
  ])('allows in %s: %s', (from, source) => {
    expect(edgesOf(from, source)).toHaveLength(1)
    expect(edgesOf(from, source).filter((edge) => !isAllowed(edge))).toEqual([])
  })

  it.each([
    ['contract/common.ts', `import { readFileSync } from 'node:fs'`],
    ['contract/common.ts', `import { run } from '../runtime/operations/run.ts'`],
    ['shared/exit.ts', `import { problems } from '../contract/problem.ts'`],
    ['shared/exit.ts', `import chalk from 'chalk'`],
    ['cli/request/client.ts', `import { inputOf } from '../input/collect.ts'`],
    ['cli/output/print.ts', `import { run } from '../commands/whoami.ts'`],
    ['cli/client.ts', `import { z } from 'zod'`],
    ['cli/client.ts', `import type { Account } from '../contract/accounts.ts'`],
    ['cli/client.ts', `import { Hono } from 'hono/tiny'`],
    ['cli/client.ts', `export { serve } from '../server/serve.ts'`],
    ['cli/client.ts', `const { open } = await import('../store/open.ts')`],
    ['outgoing/client.ts', `import { clock } from '../runtime/clock/clock.ts'`],
    ['runtime/operations/run.ts', `import { client } from '../../outgoing/client.ts'`],
    ['runtime/operations/run.ts', `import '../../areas/index.ts'`],
    ['runtime/operations/run.ts', `import { app } from '../../server/app.ts'`],
    ['areas/webhooks/deliver.ts', `import { request } from 'undici'`],
    ['store/open.ts', `import { run } from '../runtime/operations/run.ts'`],
    ['host/contract/driver.ts', `import { events } from '../../runtime/tables.ts'`],
    ['areas/accounts/jobs/index.ts', `import { createDirectoryDriver } from '../../../host/driver/file-driver.ts'`],
    ['server/serve.ts', `import { createDirectoryDriver } from '../host/driver/file-driver.ts'`],
    ['server/compose.ts', `import { HostAgent } from '../host/agent/service/agent.ts'`],
    ['host/agent/client/client.ts', `import { install } from '../../install/engine.ts'`],
    ['host/agent/client/client.ts', `import { HostAgent } from '../service/agent.ts'`],
    ['host/agent/protocol/messages.ts', `import { web } from '../../parts/web/index.ts'`],
    ['host/driver/file-driver.ts', `import { AgentClient } from '../agent/client/client.ts'`],
    ['areas/accounts/operations/index.ts', `import { areas } from '../../index.ts'`],
    ['areas/accounts/operations/index.ts', `import { Hono } from 'hono'`],
    ['server/app.ts', `import {\n  accounts,\n  owners,\n} from '../areas/accounts/tables.ts'`],
    ['server/app.ts', `import { open } from '../store/open.ts'`],
    ['server/app.ts', `import { driver } from '../host/contract/driver.ts'`],
    ['server/app.ts', `import { createScreens } from '../web/routes.tsx'`],
    ['server/app.ts', `import { Page } from '../web/pages/frame/layout.tsx'`],
    ['areas/ftp/screens.tsx', `import { ftpAccounts } from './tables.ts'`],
    ['areas/ftp/views/home.tsx', `import { list } from '../../cron/views/list.tsx'`],
    ['areas/ftp/views/home.tsx', `import type { Actor } from '../../../runtime/operations/actor.ts'`],
    ['areas/ftp/operations.ts', `import { Page } from '../../web/kit/components/page.tsx'`],
    ['web/kit/components/page.tsx', `import { run } from '../../../runtime/operations/run.ts'`],
    ['web/kit/components/page.tsx', `import { createHash } from 'node:crypto'`],
    ['web/routes.tsx', `import { app } from '../server/app.ts'`],
    ['web/accounts.tsx', `import { store } from '../store/open.ts'`],
    ['attic/old.ts', `import { z } from 'zod'`],
  ])('refuses in %s: %s', (from, source) => {
    expect(edgesOf(from, source).map(isAllowed)).toEqual([false])
  })
})
