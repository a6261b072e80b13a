import type * as declared from '../../contract/logs.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { fileOf } from '../domains/names.ts'
import { domainsOf } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { rawAnswer } from '../files/content.ts'
import { filesOf, type OfAccount } from '../files/of-account.ts'
import { withProblems } from '../files/problem.ts'
import { checkedDay, dayOf } from './days.ts'
import { figureOperations } from './figures.ts'
import { domainIn } from './of-domain.ts'
import { tailPage } from './tail.ts'

type LogKind = 'access' | 'error' | 'php'

const phpLog = 'php.log'
const nameOf = (domain: DomainRow, kind: LogKind): string =>
  kind === 'php' ? phpLog : `${fileOf(domain.name)}.${kind}.log`

/** The file name is built from the store, never from input. */
const logOf = (ctx: OfAccount, { domain_id, kind }: { domain_id: string; kind: LogKind }): string =>
  nameOf(domainIn(ctx, domain_id), kind)

const listLogs: HostHandler<typeof declared.listLogs> = {
  async act(ctx, _input, signal) {
    const { items } = await withProblems(() => filesOf(ctx).act('listLogs', {}, { signal }))
    const files = new Map(items.map((item) => [item.file, item]))
    const today = dayOf(ctx.now)
    return {
      items: domainsOf.all(ctx.db, ctx.found.account.id).flatMap((domain) =>
        (['access', 'error', 'php'] as const).flatMap((kind) => {
          const found = files.get(nameOf(domain, kind))
          if (!found || (kind === 'php' && domain.kind !== 'main')) return []
          const days = [...(found.modifiedAt > 0 ? [today] : []), ...found.days.filter((day) => day !== today)]
          const { size, modifiedAt: modified_at } = found
          return [{ domain_id: domain.id, domain: domain.name, kind, size, modified_at: Math.trunc(modified_at), days }]
        }),
      ),
    }
  },
}

const tailLog: HostHandler<typeof declared.tailLog> = {
  act: (ctx, { query }, signal) =>
    withProblems(() => tailPage(ctx, filesOf(ctx), { ...query, file: logOf(ctx, query) }, signal)),
}

const downloadLog: HostHandler<typeof declared.downloadLog> = {
  async act(ctx, { query }, signal) {
    const [range, ifRange] = ['range', 'if-range'].map((name) => ctx.caller?.header(name))
    const input = {
      file: logOf(ctx, query),
      day: checkedDay('day', query.day),
      today: query.day === dayOf(ctx.now),
      ...(range !== undefined && { range }),
      ...(ifRange !== undefined && { ifRange }),
    }
    return rawAnswer(await withProblems(() => filesOf(ctx).readLog(input, { signal })))
  },
}

export const logOperations = { listLogs, tailLog, downloadLog, ...figureOperations }
