import { type Problem, problems } from '../contract/problem.ts'
import type { PanelName } from '../contract/sessions.ts'
import { t } from './kit/text.ts'
import type { User } from './layout.tsx'
import { Plain } from './sign-in-forms.tsx'

/** The page of a link that was used or has expired. */
export const LinkEnded = ({ server }: { server: string }) => (
  <Plain title="This link no longer works" server={server}>
    <p>{t('A sign-in link works once and for 60 seconds. This one has been used, has expired or does not exist.')}</p>
    <p>
      {t('Ask for a new one where you got it, or')} <a href="/user/login">{t('sign in with your password')}</a>.
    </p>
  </Plain>
)

/** The page of a session in a suspended account. */
export const Suspended = ({ server, user }: { server: string; user: User }) => (
  <Plain title="This account is suspended" server={server} user={user}>
    <p class="notice bad" role="status">
      {t(
        'Its sites and logins are switched off. Nothing was deleted. Write to your provider to have it switched on again.',
      )}
    </p>
  </Plain>
)

/** Any other problem, in the words of the API. */
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

/** What a problem's code means. */
export const Explanation = ({ server, title, code, status }: ExplanationProps) => (
  <Plain title={title} server={server}>
    <p>
      The code <code>{code}</code>, answered with HTTP status {status}. The answer's <code>detail</code> and{' '}
      <code>fields</code> say what to do.
    </p>
  </Plain>
)
