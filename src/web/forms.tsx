import { Failure, Page } from './layout.tsx'

interface FormProps {
  readonly server: string
  readonly panel: 'admin' | 'user'
  readonly error?: string | undefined
}

const titles = { admin: 'Sign in to the admin panel', user: 'Sign in to your hosting account' }

/** Name and password. A name that was typed before stays. */
export const SignIn = ({ server, panel, error, username = '' }: FormProps & { username?: string | undefined }) => (
  <Page title={titles[panel]} server={server}>
    <Failure message={error} />
    <form class="stack" method="post" action={`/${panel}/login`}>
      <label>
        Username
        <input
          name="username"
          value={username}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          maxlength={64}
          autofocus={username === ''}
        />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          maxlength={128}
          autofocus={username !== ''}
        />
      </label>
      <button type="submit">Sign in</button>
    </form>
  </Page>
)

/** The second factor, after the password was right. */
export const SecondFactor = ({ server, panel, error }: FormProps) => (
  <Page title="Enter your code" server={server}>
    <p>Type the six digits your authenticator shows, or one of your recovery codes.</p>
    <Failure message={error} />
    <form class="stack" method="post" action={`/${panel}/login/code`}>
      <label>
        Code
        <input name="code" autocomplete="one-time-code" required minlength={6} maxlength={20} autofocus />
      </label>
      <button type="submit">Continue</button>
    </form>
  </Page>
)

interface OwnProps extends FormProps {
  readonly csrf: string
  readonly name: string
}

/** A new password in place of one that is too old. */
export const NewPassword = ({ server, panel, error, csrf, name }: OwnProps) => (
  <Page title="Choose a new password" server={server} user={{ name, panel, csrf }}>
    <p>Your password has expired. Nothing else works until you change it.</p>
    <Failure message={error} />
    <form class="stack" method="post" action={`/${panel}/password`}>
      <input type="hidden" name="csrf_token" value={csrf} />
      <label>
        Current password
        <input name="current_password" type="password" autocomplete="current-password" required maxlength={128} />
      </label>
      <label>
        New password, at least 8 characters
        <input name="new_password" type="password" autocomplete="new-password" required minlength={8} maxlength={128} />
      </label>
      <button type="submit">Change password</button>
    </form>
  </Page>
)

/** The password once more, before what is sensitive. */
export const ConfirmPassword = ({ server, panel, error, csrf, name }: OwnProps) => (
  <Page title="Confirm your password" server={server} user={{ name, panel, csrf }}>
    <p>This server requires two-factor sign-in. Type your password to set it up.</p>
    <Failure message={error} />
    <form class="stack" method="post" action={`/${panel}/confirm`}>
      <input type="hidden" name="csrf_token" value={csrf} />
      <label>
        Password
        <input name="password" type="password" autocomplete="current-password" required maxlength={128} autofocus />
      </label>
      <button type="submit">Continue</button>
    </form>
  </Page>
)

/** The secret for an authenticator, and the first code from it. */
export const SetUpSecondFactor = ({
  server,
  panel,
  error,
  csrf,
  name,
  secret,
  uri,
}: OwnProps & { secret: string; uri: string }) => (
  <Page title="Set up two-factor sign-in" server={server} user={{ name, panel, csrf }}>
    <p>This server requires a second factor. Add the key to an authenticator app, then type the code it shows.</p>
    <p>
      Key: <code>{secret}</code>
    </p>
    <p>
      <a href={uri}>Open in an authenticator on this device</a>
    </p>
    <Failure message={error} />
    <form class="stack" method="post" action={`/${panel}/two-factor`}>
      <input type="hidden" name="csrf_token" value={csrf} />
      <input type="hidden" name="secret" value={secret} />
      <input type="hidden" name="uri" value={uri} />
      <label>
        Code
        <input name="code" autocomplete="one-time-code" required minlength={6} maxlength={6} autofocus />
      </label>
      <button type="submit">Turn on</button>
    </form>
  </Page>
)

/** The recovery codes, this once. */
export const RecoveryCodes = ({ server, panel, csrf, name, codes }: OwnProps & { codes: readonly string[] }) => (
  <Page title="Keep your recovery codes" server={server} user={{ name, panel, csrf }}>
    <p>Each works once in place of a code, should you lose your authenticator. They are shown only now.</p>
    <ul>
      {codes.map((code) => (
        <li>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <p>
      <a href={`/${panel}/`}>Continue</a>
    </p>
  </Page>
)
