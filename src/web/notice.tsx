import { Page } from './layout.tsx'

/** The page of a link that was used or has expired. */
export const LinkEnded = ({ server }: { server: string }) => (
  <Page title="This link no longer works" server={server}>
    <p>A sign-in link works once and for 60 seconds. This one has been used, has expired or does not exist.</p>
    <p>
      Ask for a new one where you got it, or <a href="/user/login">sign in with your password</a>.
    </p>
  </Page>
)

/** The page of a session in a suspended account. */
export const Suspended = ({
  server,
  panel,
  csrf,
  name,
}: {
  server: string
  panel: 'admin' | 'user'
  csrf: string
  name: string
}) => (
  <Page title="This account is suspended" server={server} user={{ name, panel, csrf }}>
    <p class="banner" role="status">
      Its sites and logins are switched off. Nothing was deleted. Write to your provider to have it switched on again.
    </p>
  </Page>
)

interface ErrorPageProps {
  readonly server: string
  readonly panel: 'admin' | 'user'
  readonly title: string
  readonly detail: string | undefined
}

/** Any other problem, in the words of the API. */
export const ErrorPage = ({ server, panel, title, detail }: ErrorPageProps) => (
  <Page title={title} server={server}>
    <p role="alert">{detail ?? title}</p>
    <p>
      <a href={`/${panel}/`}>Go to the start page</a>
    </p>
  </Page>
)

interface ExplanationProps {
  readonly server: string
  readonly title: string
  readonly code: string
  readonly status: number
}

/** What a problem's code means. */
export const Explanation = ({ server, title, code, status }: ExplanationProps) => (
  <Page title={title} server={server}>
    <p>
      The code <code>{code}</code>, answered with HTTP status {status}. The answer's <code>detail</code> and{' '}
      <code>fields</code> say what to do.
    </p>
  </Page>
)
