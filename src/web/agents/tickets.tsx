import { notFound } from '../../contract/problem.ts'
import { isOfSession } from '../forms/submit-form.tsx'
import { csrfFor, refuseForeign } from '../http/csrf.ts'
import { Submit } from '../kit/components/button.tsx'
import { t } from '../kit/i18n/i18n.ts'
import { headOf } from '../kit/i18n/label.ts'
import type { PageView } from '../kit/screen.ts'
import { ownPage, type PageMatch } from '../pages/match-page.ts'
import type { Pages } from '../pages/pages.tsx'
import { type AgentTicketView, type C, type PanelRequest, serve } from '../panel-request.ts'

type Kind = 'approve' | 'reveal'

const titles = { approve: 'Approve a change', reveal: 'Show a secret' } as const

const matchOf = ({ panel }: Pages, kind: Kind): PageMatch =>
  ownPage(panel, `/${kind}`, titles[kind], { admin: 'getSession', user: 'getUserSession' })

/** The page of a ticket, for the person alone that the agent acts for. Reading it changes nothing. */
export async function ticketPage(pages: Pages, c: C, kind: Kind): Promise<Response> {
  const request = await serve(pages.screens, c, pages.panel)
  const gated = await pages.signIn.gate(request)
  if (gated) return gated
  const ticket = ticketOf(pages, c, kind)
  return pages.guarded(request, matchOf(pages, kind), (page) =>
    pages.render(page, () => (kind === 'approve' ? approval(request, ticket) : offer(request, ticket))),
  )
}

/** Approves or declines; or shows the secrets, once. */
export async function answerTicket(pages: Pages, c: C, kind: Kind): Promise<Response> {
  refuseForeign(c)
  const form = await pages.screens.form(c, pages.panel)
  const request = await serve(pages.screens, c, pages.panel)
  const gated = await pages.signIn.gate(request)
  if (gated) return gated
  const ticket = ticketOf(pages, c, kind)
  if (!isOfSession(request.session, form)) throw notFound('page')
  const decision = form.get('decision') === 'approve' ? 'approved' : 'declined'
  const view = kind === 'approve' ? decided(decision) : revealed(ticket)
  if (kind === 'approve') pages.screens.decide(ticket.id, decision)
  else pages.screens.forget(ticket.id)
  return pages.guarded(request, matchOf(pages, kind), (page) => pages.render(page, () => view()))
}

function ticketOf(pages: Pages, c: C, kind: Kind): AgentTicketView {
  const found = pages.screens.ticket(c, pages.panel, c.req.param('id') ?? '', kind)
  if (!found) throw notFound('page')
  return found
}

const Claim = ({ ticket }: { ticket: AgentTicketView }) =>
  ticket.client === undefined ? null : (
    <p class="soft">
      {t('The client calls itself')} <bdi>{ticket.client}</bdi>
    </p>
  )

const approval = ({ session, panel }: PanelRequest, ticket: AgentTicketView): PageView => ({
  title: t(titles.approve),
  lead: t('An AI agent that acts for you asks to make this change.'),
  body:
    ticket.decision === undefined ? (
      <form method="post" action={`/${panel}/approve/${ticket.id}`} class="card pad stack" data-once="">
        <input type="hidden" name="csrf_token" value={csrfFor(session)} />
        <p>
          <bdi>{ticket.sentence}</bdi>
        </p>
        <Claim ticket={ticket} />
        <p class="buttons">
          <Submit label="Approve" look="main" name="decision" value="approve" />
          <Submit label="Decline" name="decision" value="decline" />
        </p>
      </form>
    ) : (
      <p role="status">{t('This was answered already.')}</p>
    ),
})

const decided = (decision: 'approved' | 'declined') => (): PageView => ({
  title: t(titles.approve),
  body: (
    <p class="notice" role="status">
      {t(decision === 'approved' ? 'Approved. The agent can go on.' : 'Declined. Nothing was changed.')}
    </p>
  ),
})

const offer = ({ session, panel }: PanelRequest, ticket: AgentTicketView): PageView => ({
  title: t(titles.reveal),
  lead: t('A change of an AI agent made a secret. It is shown once.'),
  body: (
    <form method="post" action={`/${panel}/reveal/${ticket.id}`} class="card pad stack" data-once="">
      <input type="hidden" name="csrf_token" value={csrfFor(session)} />
      <p>{t(ticket.sentence)}</p>
      <Claim ticket={ticket} />
      <p class="buttons">
        <Submit label="Show" look="main" />
      </p>
    </form>
  ),
})

const revealed =
  ({ secrets = [] }: AgentTicketView) =>
  (): PageView => ({
    title: t(titles.reveal),
    lead: t('This is shown only now. Copy it and keep it in a safe place.'),
    body: (
      <div class="card pad stack">
        {secrets.map(({ name, value }) => (
          <div class="field">
            <span>{t(headOf(name))}</span>
            <pre class="secret m" id={`once-${name}`}>
              {value}
            </pre>
          </div>
        ))}
      </div>
    ),
  })
