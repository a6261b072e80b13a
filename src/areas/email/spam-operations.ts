import type * as declared from '../../contract/email.ts'
import type { Context } from '../../runtime/context.ts'
import { present } from '../../runtime/list.ts'
import type { Handler } from '../../runtime/run.ts'
import type { FoundAccount } from '../accounts/found.ts'
import { accountById, wholeAccount, writeAccount } from '../accounts/store.ts'
import { mailboxesOf } from './mailboxes/store.ts'
import { emailAccountOf, scoreOf, setEmailAccount, usualScore } from './spam.ts'

type Here = Context & { readonly found: { readonly account: FoundAccount } }

function shown({ db }: Pick<Context, 'db'>, id: string) {
  const { spam_filter, spam_box } = accountById(db, id)!
  return { filter: spam_filter, score: scoreOf(db, id), box: spam_box }
}

const getSpamSettings: Handler<typeof declared.getSpamSettings> = {
  handle: (ctx) => shown(ctx, ctx.found.account.id),
}

function accepted(ctx: Here, before: ReturnType<typeof shown>) {
  const { account } = ctx.found
  const spam = shown(ctx, account.id)
  ctx.note({ account, object_id: account.id, before, after: spam })
  return { spam, job_id: ctx.enqueue({ kind: 'email.spam.update', account, areas: ['mail'] }) }
}

const setSpamFilter: Handler<typeof declared.setSpamFilter> = {
  handle(ctx, { body: { enabled, score = usualScore } }) {
    const { id } = ctx.found.account
    const before = shown(ctx, id)
    writeAccount(ctx.store.sqlite, { spam_filter: enabled }, id)
    setEmailAccount(ctx, wholeAccount(ctx), { spam_score: score })
    return accepted(ctx, before)
  },
}

const setSpamBox: Handler<typeof declared.setSpamBox> = {
  handle(ctx, { body: { enabled } }) {
    const { id } = ctx.found.account
    const before = shown(ctx, id)
    writeAccount(ctx.store.sqlite, { spam_box: enabled }, id)
    return accepted(ctx, before)
  },
}

const getEmailUsage: Handler<typeof declared.getEmailUsage> = {
  handle(ctx) {
    const account = wholeAccount(ctx)
    const measured = emailAccountOf(ctx.db, account.id)
    return {
      measured_at: account.measured_at,
      mailboxes: present({ used: mailboxesOf.count(ctx.db, account.id), limit: account.max_email }),
      sent_this_hour: present({ used: measured?.sent_this_hour ?? 0, limit: account.max_email_per_hour }),
    }
  },
}

export const spamOperations = { getSpamSettings, setSpamFilter, setSpamBox, getEmailUsage }
