import { ButtonForm, Form, FormCard } from '../../../web/kit/form.tsx'
import { ItemCard } from '../../../web/kit/list.tsx'
import { Machine } from '../../../web/kit/machine.tsx'
import { ownSignIn } from '../../../web/kit/own-sign-in.ts'
import { Card } from '../../../web/kit/page.tsx'
import type { Answered, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** The signed-in user's password, second factor and sessions. */
export const ownPage = (visit: Visit): Shown => ({
  title: t(visit.screen.title),
  lead: <Machine text={visit.session.username ?? ''} />,
  body: (
    <>
      <FormCard of={visit.form(ownSignIn[visit.panel].password)} title="Password" />
      <SecondFactor visit={visit} />
      <Sessions visit={visit} sessions={visit.also['sessions']?.items ?? []} />
    </>
  ),
})

const SecondFactor = ({ visit }: { visit: Visit }) => {
  const isOn = visit.session.two_factor_enabled
  const { setUp, enable, disable } = ownSignIn[visit.panel]
  const [begin, complete, end] = [visit.form(setUp), visit.form(enable), visit.form(disable)]
  if (!begin || !complete || !end) return null
  return (
    <Card title="Two-factor sign-in">
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

const columns = ['created_at', 'current', 'last_seen_at', 'expires_at', 'address', 'user_agent']

const Sessions = ({ visit, sessions }: { visit: Visit; sessions: readonly Answered[] }) => {
  const { end, endAll } = ownSignIn[visit.panel]
  return (
    <ItemCard
      visit={visit}
      title="Sessions"
      aside={<ButtonForm of={visit.form(endAll)} />}
      items={sessions}
      columns={columns}
      action={({ current, id }) => <ButtonForm of={current ? undefined : visit.form(end, { item: id })} />}
    />
  )
}
