import type * as declared from '../../contract/nodes.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { usablePackage } from '../packages/store.ts'
import { needOf } from './need.ts'
import { chosen, unfitness } from './placement.ts'
import { allNodes } from './store.ts'

/** Where a new account would be placed now. */
export const getPlacement: Handler<typeof declared.getPlacement> = {
  handle(ctx, { query }) {
    const need = needOf(usablePackage(ctx, query.package_id))
    const all = allNodes(ctx.db)
    const node = chosen(ctx, all, need)?.name
    const items = all.map(({ name, accounts }, place) => {
      const reason = unfitness(ctx, all[place]!, need)
      const mark = name === node ? { chosen: true } : {}
      return { node: name, accounts, ...mark, ...(reason !== undefined && { reason }) }
    })
    return { ...(node !== undefined && { node }), items }
  },
}
