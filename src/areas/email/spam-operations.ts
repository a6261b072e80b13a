import type * as declared from '../../contract/email.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { accountById, fullAccount, writeAccount } from '../accounts/store.ts'
import { mailboxesOf } from './mailboxes/store.ts'
import { DEFAULT_SCORE, emailAccountOf, scoreOf, setEmailAccount } from './spam.ts'

type SpamContext = Context & { readonly found: { readonly account: FoundAccount } }

function viewOf({ db }: Pick<Context, 'db'>, id: string) {
  const { spam_filter, spam_box } = accountById(db, id)!
  return { filter: spam_filter, score: scoreOf(db, id), box: spam_box }
}

const getSpamSettings: Handler<typeof declared.getSpamSettings> = {
  handle: (ctx) => viewOf(ctx, ctx.found.account.id),
}

function accepted(ctx: SpamContext, before: ReturnType<typeof viewOf>) {
  const { account } = ctx.found
  const spam = viewOf(ctx, account.id)
  ctx.note({ account, object_id: account.id, before, after: spam })
  return { spam, job_id: ctx.enqueue({ kind: 'email.spam.update', account, areas: ['mail'] }) }
}

const setSpamFilter: Handler<typeof declared.setSpamFilter> = {
  handle(ctx, { body: { enabled, score = DEFAULT_SCORE } }) {
    const { id } = ctx.found.account
    const before = viewOf(ctx, id)
    writeAccount(ctx.store.sqlite, { spam_filter: enabled }, id)
    setEmailAccount(ctx, fullAccount(ctx), { spam_score: score })
    return accepted(ctx, before)
  },
}

const setSpamBox: Handler<typeof declared.setSpamBox> = {
  handle(ctx, { body: { enabled } }) {
    const { id } = ctx.found.account
    const before = viewOf(ctx, id)
    writeAccount(ctx.store.sqlite, { spam_box: enabled }, id)
    return accepted(ctx, before)
  },
}

const getEmailUsage: Handler<typeof declared.getEmailUsage> = {
  handle(ctx) {
    const account = fullAccount(ctx)
    const measured = emailAccountOf(ctx.db, account.id)
    return {
      measured_at: account.measured_at,
      mailboxes: present({ used: mailboxesOf.count(ctx.db, account.id), limit: account.max_email }),
      sent_this_hour: present({ used: measured?.sent_this_hour ?? 0, limit: account.max_email_per_hour }),
    }
  },
}

export const spamOperations = { getSpamSettings, setSpamFilter, setSpamBox, getEmailUsage }
