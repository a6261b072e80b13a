import { prose } from '../../../web/kit/components/cell.tsx'
import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { ButtonForm, Form, FormCard } from '../../../web/kit/forms/form.tsx'
import { ownSignIn } from '../../../web/kit/forms/own-sign-in.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemCard } from '../../../web/kit/lists/list.tsx'
import type { Answered, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { Passkeys, RecoveryCodes } from './passkeys.tsx'
import { browserIn } from './user-agent.ts'

/** The signed-in user's password, second factor and sessions. */
export const ownPage = (view: ViewContext): PageView => ({
  title: t(view.screen.title),
  lead: <Code text={view.session.username ?? ''} />,
  body: (
    <>
      <FormCard of={view.form(ownSignIn[view.panel].password)} title="Password" />
      <Passkeys view={view} />
      <SecondFactor view={view} />
      <RecoveryCodes view={view} />
      <Sessions view={view} sessions={view.sections['sessions']?.items ?? []} />
    </>
  ),
})

const SecondFactor = ({ view }: { view: ViewContext }) => {
  const isOn = view.sections['passkeys']?.totp_enabled ?? view.session.two_factor_enabled
  const { setUp, enable, disable } = ownSignIn[view.panel]
  const [begin, complete, end] = [view.form(setUp), view.form(enable), view.form(disable)]
  if (!begin || !complete || !end) return null
  return (
    <Card title="Authenticator app">
      <div class="pad stack">
        <p>
          {t(
            isOn
              ? 'It is on. Type a code to turn it off.'
              : 'It is off. Get a key for an authenticator app, then type the code it shows.',
          )}
        </p>
        {isOn ? <Form of={end} danger /> : <ButtonForm of={begin} />}
        {isOn ? null : <Form of={complete} />}
      </div>
    </Card>
  )
}

const columns = ['user_agent', 'address', 'created_at', 'last_seen_at', 'expires_at']
const looks: Looks = {
  user_agent: { label: 'Browser', cell: (session) => <Device of={session} /> },
}

const Device = ({ of: { user_agent, current } }: { of: Answered }) => (
  <>
    {user_agent === undefined ? '–' : prose(browserIn(user_agent).join(' · '))}{' '}
    {current ? <Chip status="active" word="This session" /> : null}
  </>
)

const Sessions = ({ view, sessions }: { view: ViewContext; sessions: readonly Answered[] }) => {
  const { end, endAll } = ownSignIn[view.panel]
  return (
    <ItemCard
      view={view}
      title="Sessions"
      extra={<ButtonForm of={view.form(endAll)} />}
      items={sessions}
      columns={columns}
      looks={looks}
      action={({ current, id }) => <ButtonForm of={current ? undefined : view.form(end, { item: id })} />}
    />
  )
}
