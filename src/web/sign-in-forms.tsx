import type { Child } from 'hono/jsx'
import { Machine } from './kit/machine.tsx'
import { t } from './kit/text.ts'
import { Document, type User } from './layout.tsx'

interface PageProps {
  readonly title: string
  readonly server: string
  readonly user?: User | undefined
  readonly children?: Child
}

/** A page before the others, or in their place: without navigation. */
export const Plain = ({ title, server, user, children }: PageProps) => (
  <Document brand={server} titles={[t(title)]} user={user}>
    <h1>{t(title)}</h1>
    {children}
  </Document>
)

const Failure = ({ message }: { message: string | undefined }) =>
  message ? (
    <p class="faults" role="alert">
      {message}
    </p>
  ) : null

interface BoxProps {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly secret?: 'current-password' | 'new-password'
  readonly code?: boolean
  readonly focus?: boolean
  readonly least?: number
  readonly most?: number
}

const Box = ({ name, label, value, secret, code, focus, least, most = 128 }: BoxProps) => (
  <div class="field">
    <label for={name}>{t(label)}</label>
    <input
      id={name}
      name={name}
      {...(value === undefined ? {} : { value })}
      {...(secret ? { type: 'password', autocomplete: secret } : { autocapitalize: 'none', spellcheck: false })}
      {...(secret ? {} : { autocomplete: code ? 'one-time-code' : 'username' })}
      {...(least === undefined ? {} : { minlength: least })}
      maxlength={most}
      required
      autofocus={focus === true}
    />
  </div>
)

interface FormProps {
  readonly server: string
  readonly panel: 'admin' | 'user'
  readonly error?: string | undefined
  /** The page that was asked for first. */
  readonly next?: string | undefined
}

interface SentProps {
  readonly action: string
  readonly send: string
  readonly csrf?: string
  readonly next?: string | undefined
  readonly children?: Child
}

const Sent = ({ action, send, csrf, next, children }: SentProps) => (
  <form class="fields" method="post" action={action} data-once="">
    {csrf === undefined ? null : <input type="hidden" name="csrf_token" value={csrf} />}
    {next === undefined ? null : <input type="hidden" name="next" value={next} />}
    {children}
    <p class="buttons">
      <button type="submit" class="main">
        {t(send)}
      </button>
    </p>
  </form>
)

const titles = { admin: 'Sign in to the admin panel', user: 'Sign in to your hosting account' }

/** Name and password. A name that was typed before stays. */
export const SignIn = ({
  server,
  panel,
  error,
  next,
  username = '',
}: FormProps & { username?: string | undefined }) => (
  <Plain title={titles[panel]} server={server}>
    <Failure message={error} />
    <Sent action={`/${panel}/login`} send="Sign in" next={next}>
      <Box name="username" label="Username" value={username} most={64} focus={username === ''} />
      <Box name="password" label="Password" secret="current-password" focus={username !== ''} />
    </Sent>
  </Plain>
)

/** The second factor, after the password was right. */
export const SecondFactor = ({ server, panel, error, next }: FormProps) => (
  <Plain title="Enter your code" server={server}>
    <p>{t('Type the six digits your authenticator shows, or one of your recovery codes.')}</p>
    <Failure message={error} />
    <Sent action={`/${panel}/login/code`} send="Continue" next={next}>
      <Box name="code" label="Code" code least={6} most={20} focus />
    </Sent>
  </Plain>
)

interface OwnProps extends FormProps {
  readonly user: User
}

/** A new password in place of one that is too old. */
export const NewPassword = ({ server, panel, error, user }: OwnProps) => (
  <Plain title="Choose a new password" server={server} user={user}>
    <p>{t('Your password has expired. Nothing else works until you change it.')}</p>
    <Failure message={error} />
    <Sent action={`/${panel}/password`} send="Change password" csrf={user.csrf}>
      <Box name="current_password" label="Current password" secret="current-password" focus />
      <Box name="new_password" label="New password, at least 8 characters" secret="new-password" least={8} />
    </Sent>
  </Plain>
)

/** The password once more, before what is sensitive. */
export const ConfirmPassword = ({ server, panel, error, user }: OwnProps) => (
  <Plain title="Confirm your password" server={server} user={user}>
    <p>{t('This server requires two-factor sign-in. Type your password to set it up.')}</p>
    <Failure message={error} />
    <Sent action={`/${panel}/confirm`} send="Continue" csrf={user.csrf}>
      <Box name="password" label="Password" secret="current-password" focus />
    </Sent>
  </Plain>
)

/** The secret for an authenticator, and the first code from it. */
export const SetUpSecondFactor = (props: OwnProps & { secret: string; uri: string }) => (
  <Plain title="Set up two-factor sign-in" server={props.server} user={props.user}>
    <p>
      {t('This server requires a second factor. Add the key to an authenticator app, then type the code it shows.')}
    </p>
    <p>
      {t('Key:')} <Machine text={props.secret} />
    </p>
    <p>
      <a href={props.uri}>{t('Open in an authenticator on this device')}</a>
    </p>
    <Failure message={props.error} />
    <Sent action={`/${props.panel}/two-factor`} send="Turn on" csrf={props.user.csrf}>
      <input type="hidden" name="secret" value={props.secret} />
      <input type="hidden" name="uri" value={props.uri} />
      <Box name="code" label="Code" code least={6} most={6} focus />
    </Sent>
  </Plain>
)

/** The recovery codes, this once. */
export const RecoveryCodes = ({ server, panel, user, codes }: OwnProps & { codes: readonly string[] }) => (
  <Plain title="Keep your recovery codes" server={server} user={user}>
    <p>{t('Each works once in place of a code, should you lose your authenticator. They are shown only now.')}</p>
    <ul>
      {codes.map((code) => (
        <li>
          <Machine text={code} />
        </li>
      ))}
    </ul>
    <p>
      <a href={`/${panel}/`}>{t('Continue')}</a>
    </p>
  </Plain>
)
