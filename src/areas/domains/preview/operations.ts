import type { z } from 'zod'
import type * as declared from '../../../contract/domains.ts'
import type { Preview } from '../../../contract/domains.ts'
import { notFound, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { previewHostname } from '../../../runtime/settings/server-names.ts'
import { localNode } from '../../../shared/node-name.ts'
import { hour } from '../../../shared/time.ts'
import { accountById } from '../../accounts/store.ts'
import { refuseBeingDeleted } from '../busy.ts'
import { namesOf } from '../names.ts'
import type { OfDomain } from '../part.ts'
import type { DomainRow, PreviewRow } from '../tables.ts'
import { enqueueUpdate } from '../update.ts'
import { newLabel, previewOf, removePreview, setPreview } from './store.ts'

const DEFAULT_HOURS = 24

const createPreview: Handler<typeof declared.createPreview> = {
  handle(ctx, { body: { hours = DEFAULT_HOURS } }) {
    const { account, domain } = ctx.found
    refuseBeingDeleted(domain)
    if (account.suspended_at !== null) throw new Problem('suspended', `${account.username} is suspended.`)
    if (domain.name.startsWith('*.'))
      throw new Problem('not-configured', `${domain.name} stands for many names: there is no one site to show.`)
    const label = previewOf(ctx.db, domain.id)?.label ?? newLabel()
    const preview = { domain_id: domain.id, label, expires_at: ctx.now + hours * hour }
    setPreview(ctx, preview)
    ctx.note({ account, object_id: domain.id, after: { preview_expires_at: preview.expires_at } })
    return { preview: toPreview(ctx, domain, preview), job_id: enqueueUpdate(ctx) }
  },
}

/** What has expired ends within a minute, and is not shown until then. */
function found({ db, now, found: { domain } }: Context & OfDomain): PreviewRow {
  const preview = previewOf(db, domain.id)
  if (!preview || preview.expires_at <= now) throw notFound('preview')
  return preview
}

const getPreview: Handler<typeof declared.getPreview> = {
  handle: (ctx) => toPreview(ctx, ctx.found.domain, found(ctx)),
}

const deletePreview: Handler<typeof declared.deletePreview> = {
  handle(ctx) {
    const { account, domain } = ctx.found
    const preview = toPreview(ctx, domain, found(ctx))
    removePreview(ctx, domain.id)
    ctx.note({ account, object_id: domain.id, before: { preview_expires_at: preview.expires_at } })
    return { preview, job_id: enqueueUpdate(ctx) }
  },
}

/** Its names lead to the server's machine alone, and no authority is asked for their certificate. */
function toPreview({ db }: Context, domain: DomainRow, { label, expires_at }: PreviewRow): z.infer<typeof Preview> {
  const { ip_address, node } = accountById(db, domain.account_id)!
  const hostname = node === localNode ? previewHostname(db) : undefined
  return {
    ...(hostname !== undefined && { url: `https://${label}.${hostname}/` }),
    hosts_line: [ip_address, ...namesOf(domain)].join(' '),
    expires_at,
    ...(hostname !== undefined && { trusted: false }),
  }
}

export const previewOperations = { createPreview, getPreview, deletePreview }
