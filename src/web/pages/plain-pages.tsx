import { useContext } from 'hono/jsx'
import { type Problem, problems } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { FactList } from '../kit/components/description-list.tsx'
import { Day } from '../kit/components/time.tsx'
import { t } from '../kit/i18n/i18n.ts'
import { Brand, Plain } from '../sign-in/forms.tsx'
import type { User } from './frame/layout.tsx'

/** The page for a used or expired link. */
export const LinkEnded = ({ server }: { server: string }) => (
  <Plain title="This link no longer works" server={server}>
    <p>{t('A sign-in link works once and for 60 seconds. This one has been used, has expired or does not exist.')}</p>
    <p>
      {t('Ask for a new one where you got it, or')} <a href="/user/login">{t('sign in with your password')}</a>.
    </p>
  </Plain>
)

interface SuspendedProps {
  readonly server: string
  /** Absent after a correct password: a suspended account gets no session. */
  readonly user?: User
  readonly since?: number | undefined
  readonly reason?: string | undefined
}

/** All that a suspended account sees: what is off, since when and why, and whom to contact. */
export const Suspended = ({ server, user, since, reason }: SuspendedProps) => (
  <Plain title="This account is suspended" server={server} user={user}>
    <div class="notice bad" role="status">
      <p>{t('Its sites, mailboxes, databases and logins are switched off. Nothing was deleted.')}</p>
    </div>
    {since === undefined ? null : (
      <div class="card">
        <FactList
          of={[[t('Suspended since'), <Day at={since} />], reason !== undefined && [t('Reason'), <bdi>{reason}</bdi>]]}
        />
      </div>
    )}
    <p>
      {t('Write to your provider to have it switched on again.')} <Support server={server} />
    </p>
  </Plain>
)

const Support = ({ server }: { server: string }) => {
  const { name = server, support_url } = useContext(Brand)
  return support_url === undefined ? null : (
    <a href={support_url} rel="noreferrer noopener">
      {t('Contact {name}', { name })}
    </a>
  )
}

/** Any other problem, in the API's words. */
export const ErrorPage = ({ server, panel, problem }: { server: string; panel: PanelName; problem: Problem }) => (
  <Plain title={problems[problem.code].title} server={server}>
    <p role="alert">{problem.detail ?? problems[problem.code].title}</p>
    <p>
      <a href={`/${panel}/`}>{t('Go to the start page')}</a>
    </p>
  </Plain>
)

interface ExplanationProps {
  readonly server: string
  readonly title: string
  readonly code: string
  readonly status: number
}

/** What a problem code means. */
export const Explanation = ({ server, title, code, status }: ExplanationProps) => (
  <Plain title={title} server={server}>
    <p>
      {t('This code is answered with HTTP status {status}. The detail and fields of the answer say what to do.', {
        status,
      })}{' '}
      <code>{code}</code>
    </p>
  </Plain>
)
