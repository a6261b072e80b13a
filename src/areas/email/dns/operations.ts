import type * as declared from '../../../contract/email.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { toEmailDns } from './records.ts'

const getEmailDns: Handler<typeof declared.getEmailDns> = { handle: (ctx) => toEmailDns(ctx, ctx.found.mail) }

const checkEmailDns: Handler<typeof declared.checkEmailDns> = {
  handle(ctx) {
    const { account, mail } = ctx.found
    refuseBeingDeleted(mail.domain)
    ctx.note({ account, object_id: mail.domain.id })
    const job_id = ctx.enqueue({ kind: 'email.dns.check', account, object_id: mail.domain.id, areas: [] })
    return { dns: toEmailDns(ctx, mail), job_id }
  },
}

export const dnsOperations = { getEmailDns, checkEmailDns }
