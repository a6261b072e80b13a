import { createHash, randomBytes } from 'node:crypto'
import { invalid } from '../../contract/problem.ts'
import type * as declared from '../../contract/wordpress-content.ts'
import { linkLife } from '../../host/contract/driver.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { fullAccount } from '../accounts/store.ts'
import { askNow } from './ask-now.ts'
import { refuseToRun } from './busy.ts'
import { addLink } from './links.ts'
import { toSite } from './view.ts'

export const createWordpressLink: HostHandler<typeof declared.createWordpressLink> = {
  record(ctx, { body }) {
    const { account, wordpress } = ctx.found
    refuseToRun(fullAccount(ctx), wordpress)
    ctx.note({ account, object_id: wordpress.id, ...(body.user !== undefined && { after: { user: body.user } }) })
  },
  async act(ctx, { body: { user } }, signal) {
    const { runtime, found } = ctx
    const [token, file] = [randomBytes(32).toString('base64url'), `panel-sign-in-${randomBytes(8).toString('hex')}.php`]
    const until = runtime.clock.now() + linkLife
    await runtime.store.change(() => addLink(runtime, { file, site_id: found.wordpress.id, until }))
    const hash = createHash('sha256').update(token).digest('hex')
    const input = { file, hash, seconds: linkLife / 1000, ...(user !== undefined && { user }) }
    const answer = await askNow(ctx, { task: 'signIn', input, signal })
    if (answer.user === null)
      throw invalid(
        'user',
        user === undefined ? 'the site has no administrator' : 'is not an administrator of the site',
      )
    const { admin_url } = toSite(ctx, found.wordpress)
    return { url: `${new URL(`../${file}`, admin_url)}?token=${token}`, expires_in: linkLife / 1000 }
  },
}
