import type { Child } from 'hono/jsx'
import { refuseCrossSite } from '../http/csrf.ts'
import { redirect } from '../http/responses.ts'
import { t } from '../kit/i18n/i18n.ts'
import { branded } from '../pages/frame/branded.tsx'
import { type C, json, type Screens } from '../panel-request.ts'
import { Box, Plain, Step } from './forms.tsx'
import { sentence, statusOf } from './sentence.ts'

interface RequestProps {
  readonly server: string
  readonly error?: string
  readonly username?: string
}

const RequestLink = ({ server, error, username = '' }: RequestProps) => (
  <Step
    server={server}
    error={error}
    title="Forgotten password"
    lead="A link to choose a new password is sent to your contact address."
    action="/forgot-password"
    send="Send the link"
    below={<BackToSignIn />}
  >
    <Box name="username" label="Username, domain or email address" value={username} max={254} focus />
  </Step>
)

/** The same for every name. */
const Requested = ({ server }: { server: string }) => (
  <Plain title="Check your mail" server={server} centred>
    <p>
      {t(
        'If the name exists here and has a contact address, a message with a link is on its way. The link works once, within an hour.',
      )}
    </p>
    <BackToSignIn />
  </Plain>
)

const BackToSignIn = () => (
  <p class="also">
    <a href="/">{t('Back to sign-in')}</a>
  </p>
)

interface ChooseProps {
  readonly server: string
  readonly token: string
  readonly error?: string
}

const ChoosePassword = ({ server, token, error }: ChooseProps) => (
  <Step
    server={server}
    error={error}
    title="Choose a new password"
    lead="All sessions end when the password is changed."
    action="/reset-password"
    send="Change password"
    below={
      <p class="also">
        <a href="/forgot-password">{t('Request another link')}</a>
      </p>
    }
  >
    <input type="hidden" name="token" value={token} />
    <Box name="new_password" label="New password, at least 8 characters" secret="new-password" minlength={8} focus />
  </Step>
)

const PasswordChanged = ({ server }: { server: string }) => (
  <Plain title="Password changed" server={server} centred>
    <p>{t('Sign in with the new password.')}</p>
    <p>
      <a class="button main" href="/">
        {t('Sign in')}
      </a>
    </p>
  </Plain>
)

export const isResetAvailable = async (screens: Screens, c: C): Promise<boolean> =>
  json(await screens.perform(c, 'getPasswordReset')).available === true

/** The pages by which a forgotten password is replaced. They look alike for every name. */
export class ForgottenPages {
  readonly #screens: Screens
  constructor(screens: Screens) {
    this.#screens = screens
  }

  async form(c: C): Promise<Response> {
    if (!(await isResetAvailable(this.#screens, c))) return redirect(this.#screens, '/', 302)
    return this.#html(c, <RequestLink server={this.#screens.server} />)
  }

  async request(c: C): Promise<Response> {
    const username = (await this.#form(c)).get('username') ?? ''
    const { server } = this.#screens
    try {
      await this.#screens.perform(c, 'requestPasswordReset', { body: { username } })
      return this.#html(c, <Requested server={server} />)
    } catch (error) {
      const again = <RequestLink server={server} error={sentence(error)} username={username} />
      return this.#html(c, again, statusOf(error))
    }
  }

  /** The token is judged when the form is sent: programs that scan mail open links. */
  choose(c: C): Promise<Response> {
    return this.#html(c, <ChoosePassword server={this.#screens.server} token={c.req.query('token') ?? ''} />)
  }

  async replace(c: C): Promise<Response> {
    const form = await this.#form(c)
    const { server } = this.#screens
    const token = form.get('token') ?? ''
    try {
      const body = { token, new_password: form.get('new_password') ?? undefined }
      await this.#screens.perform(c, 'completePasswordReset', { body })
      return this.#html(c, <PasswordChanged server={server} />)
    } catch (error) {
      return this.#html(c, <ChoosePassword server={server} token={token} error={sentence(error)} />, statusOf(error))
    }
  }

  #form(c: C): Promise<URLSearchParams> {
    refuseCrossSite(c)
    return this.#screens.form(c, 'user')
  }

  #html(c: C, node: Child, status?: number): Promise<Response> {
    return branded(this.#screens, c, node, status)
  }
}
