import type { Child } from 'hono/jsx'
import type { PanelName } from '../../contract/sessions.ts'
import { Submit } from '../kit/components/button.tsx'
import { Code } from '../kit/components/code.tsx'
import { createContext } from '../kit/html/context.ts'
import { t } from '../kit/i18n/i18n.ts'
import { Document, type Look, type User } from '../pages/frame/layout.tsx'

/** The reseller's brand, if there is one. */
export const Brand = createContext<Look & { readonly name?: string }>({})

interface PageProps {
  readonly title: string
  readonly server: string
  readonly user?: User | undefined
  readonly children?: Child
}

/** A page without navigation, for sign-in and errors. */
export const Plain = ({ title, server, user, children }: PageProps) => {
  const brand = Brand.now()
  return (
    <Document brand={brand.name ?? server} look={brand} titles={[t(title)]} user={user}>
      <h1>{t(title)}</h1>
      {children}
    </Document>
  )
}

interface BoxProps {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly secret?: 'current-password' | 'new-password'
  readonly code?: boolean
  readonly focus?: boolean
  readonly minlength?: number
  readonly max?: number
}

const Box = ({ name, label, secret, code, focus, max = 128, ...more }: BoxProps) => (
  <div class="field">
    <label for={name}>{t(label)}</label>
    <input
      id={name}
      name={name}
      {...(secret ? { type: 'password' } : { autocapitalize: 'none', spellcheck: false })}
      autocomplete={secret ?? (code ? 'one-time-code' : 'username')}
      maxlength={max}
      required
      autofocus={focus === true}
      {...more}
    />
  </div>
)

interface FormProps {
  readonly server: string
  readonly panel: PanelName
  readonly error?: string | undefined
  /** The page requested before sign-in. */
  readonly next?: string | undefined
  /** A signed-in user who must complete this step first. */
  readonly user?: User
}

interface StepProps extends FormProps {
  readonly title: string
  readonly lead?: string
  /** Content below the lead. */
  readonly more?: Child
  readonly action: string
  readonly send: string
  readonly children?: Child
}

/** One step of signing in. */
const Step = ({ server, panel, error, next, user, title, lead, more, action, send, children }: StepProps) => (
  <Plain title={title} server={server} user={user}>
    {lead === undefined ? null : <p>{t(lead)}</p>}
    {more}
    {error ? (
      <p class="faults" role="alert">
        {t(error)}
      </p>
    ) : null}
    <form class="fields" method="post" action={`/${panel}/${action}`} data-once="">
      {user ? <input type="hidden" name="csrf_token" value={user.csrf} /> : null}
      {next === undefined ? null : <input type="hidden" name="next" value={next} />}
      {children}
      <p class="buttons">
        <Submit label={send} look="main" />
      </p>
    </form>
  </Plain>
)

const titles = { admin: 'Sign in to the admin panel', user: 'Sign in to your hosting account' }

/** Name and password; keeps a name typed before. */
export const SignIn = ({ username = '', ...step }: FormProps & { username?: string | undefined }) => (
  <Step {...step} title={titles[step.panel]} action="login" send="Sign in">
    <Box name="username" label="Username" value={username} max={64} focus={username === ''} />
    <Box name="password" label="Password" secret="current-password" focus={username !== ''} />
  </Step>
)

export const SignOut = (step: FormProps) => <Step {...step} title="Sign out" action="logout" send="Sign out" />

/** The second factor, after a correct password. */
export const SecondFactor = (step: FormProps) => (
  <Step
    {...step}
    title="Enter your code"
    lead="Type the six digits your authenticator shows, or one of your recovery codes."
    action="login/code"
    send="Continue"
  >
    <Box name="code" label="Code" code minlength={6} max={20} focus />
  </Step>
)

/** Replaces an expired password. */
export const NewPassword = (step: FormProps) => (
  <Step
    {...step}
    title="Choose a new password"
    lead="Your password has expired. Nothing else works until you change it."
    action="password"
    send="Change password"
  >
    <Box name="current_password" label="Current password" secret="current-password" focus />
    <Box name="new_password" label="New password, at least 8 characters" secret="new-password" minlength={8} />
  </Step>
)

/** Confirms the password before a sensitive operation. */
export const ConfirmPassword = (step: FormProps) => (
  <Step
    {...step}
    title="Confirm your password"
    lead="This server requires two-factor sign-in. Type your password to set it up."
    action="confirm"
    send="Continue"
  >
    <Box name="password" label="Password" secret="current-password" focus />
  </Step>
)

/** Only this button creates a key: GET requests change nothing. */
export const BeginSecondFactor = (step: FormProps) => (
  <Step
    {...step}
    title="Set up two-factor sign-in"
    lead="This server requires a second factor. You need an authenticator app on a phone or computer."
    action="two-factor/key"
    send="Show the key"
  />
)

/** The secret for an authenticator app, and its first code. */
export const SetUpSecondFactor = ({ secret, uri, ...step }: FormProps & { secret: string; uri: string }) => (
  <Step
    {...step}
    title="Set up two-factor sign-in"
    lead="This server requires a second factor. Add the key to an authenticator app, then type the code it shows."
    more={<Key secret={secret} uri={uri} />}
    action="two-factor"
    send="Turn on"
  >
    <input type="hidden" name="secret" value={secret} />
    <input type="hidden" name="uri" value={uri} />
    <Box name="code" label="Code" code minlength={6} max={6} focus />
  </Step>
)

const Key = ({ secret, uri }: { secret: string; uri: string }) => (
  <>
    <p>
      {t('Key:')} <Code text={secret} />
    </p>
    <p>
      <a href={uri}>{t('Open in an authenticator on this device')}</a>
    </p>
  </>
)

/** The recovery codes, shown only once. */
export const RecoveryCodes = ({ server, panel, user, codes }: FormProps & { codes: readonly string[] }) => (
  <Plain title="Keep your recovery codes" server={server} user={user}>
    <p>{t('Use each code once if you lose your device. They are shown only now.')}</p>
    <ul>
      {codes.map((code) => (
        <li>
          <Code text={code} />
        </li>
      ))}
    </ul>
    <p>
      <a href={`/${panel}/`}>{t('Continue')}</a>
    </p>
  </Plain>
)
