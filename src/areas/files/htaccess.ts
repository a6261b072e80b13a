import type { z } from 'zod'
import type * as declared from '../../contract/domains.ts'
import type { HtaccessDirective } from '../../contract/domains.ts'
import type { Answered } from '../../host/contract/driver.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { scanOf } from '../domains/htaccess/scan.ts'
import { siteOf } from '../domains/store.ts'
import { textPath } from './encode-path.ts'
import { filesOf } from './of-account.ts'
import { withProblems } from './problem.ts'

type HtaccessItem = z.infer<typeof HtaccessDirective>

const toItem = ({ file, ...directive }: Answered<'htaccess'>['items'][number]): HtaccessItem => ({
  file: textPath(file),
  ...directive,
})

const order = (a: HtaccessItem, b: HtaccessItem): number =>
  Number(b.kind === 'access') - Number(a.kind === 'access') ||
  (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)

/** Of a site; its files are in a home. */
export const checkHtaccess: HostHandler<typeof declared.checkHtaccess> = {
  async act(ctx, _input, signal) {
    const input = scanOf(siteOf(ctx.db, ctx.found.domain))
    const { items, more } = await withProblems(() => filesOf(ctx).act('htaccess', input, { signal }))
    return { items: items.map(toItem).sort(order), more }
  },
}
