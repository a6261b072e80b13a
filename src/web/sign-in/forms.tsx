import { type Child, createContext, useContext } from 'hono/jsx'
import type { PanelName } from '../../contract/sessions.ts'
import { Submit } from '../kit/components/button.tsx'
import { Code, Command } from '../kit/components/code.tsx'
import { Icon } from '../kit/components/icon.tsx'
import { PasskeyButton } from '../kit/forms/passkey.tsx'
import { t } from '../kit/i18n/i18n.ts'
import { Document, type LayoutOptions, logoAddress, type User } from '../pages/frame/layout.tsx'

/** The reseller's brand, if there is one. */
export const Brand = createContext<LayoutOptions & { readonly name?: string }>({})

interface PageProps {
  readonly title: string
  readonly server: string
  readonly user?: User | undefined
  /** Whether it stands alone in the middle of the window. */
  readonly centred?: boolean
  readonly children?: Child
}

/** A page without navigation, for sign-in and errors. */
export const Plain = ({ title, server, user, centred = false, children }: PageProps) => {
  const brand = useContext(Brand)
  return (
    <Document brand={brand.name ?? server} look={brand} titles={[t(title)]} user={user} centred={centred}>
      {centred ? <Mark name={brand.name ?? server} look={brand} /> : null}
      <h1>{t(title)}</h1>
      {children}
    </Document>
  )
}

/** Whose server this is. */
const Mark = ({ name, look }: { name: string; look: LayoutOptions }) => (
  <p class="mark">
    {look.logo ? <img src={logoAddress(look.logo)} alt="" /> : <Icon name="brand" />}
    <bdi>{name}</bdi>
  </p>
)

interface SignInBoxProps {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly secret?: 'current-password' | 'new-password'
  readonly code?: boolean
  readonly focus?: boolean
  readonly minlength?: number
  readonly max?: number
}

export const Box = ({ name, label, secret, code, focus, max = 128, ...more }: SignInBoxProps) => (
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

interface StepProps extends Omit<FormProps, 'panel'> {
  readonly title: string
  readonly lead?: string
  /** Content below the lead. */
  readonly more?: Child
  readonly action: string
  readonly send: string
  /** Content below the form. */
  readonly below?: Child
  readonly children?: Child
}

/** One step of signing in. */
export const Step = ({ server, error, next, user, title, lead, more, action, send, below, children }: StepProps) => (
  <Plain title={title} server={server} user={user} centred>
    {lead === undefined ? null : <p>{t(lead)}</p>}
    {more}
    {error ? (
      <p class="faults" role="alert">
        {t(error)}
      </p>
    ) : null}
    <form class="fields" method="post" action={action} data-once="">
      {user ? <input type="hidden" name="csrf_token" value={user.csrf} /> : null}
      {next === undefined ? null : <input type="hidden" name="next" value={next} />}
      {children}
      <p class="buttons">
        <Submit label={send} look="main" />
      </p>
    </form>
    {below}
  </Plain>
)

interface SignInProps extends FormProps {
  readonly username?: string | undefined
  /** Whether it stands at `/`. */
  readonly front?: boolean
  /** The server's address, as one types it. */
  readonly host: string
  /** Whether a forgotten password can be replaced. */
  readonly reset: boolean
  /** Whether passkeys work at this address. */
  readonly passkeys: boolean
}

/** Name and password, for everyone; keeps a name typed before. */
export const SignIn = ({ username = '', front = false, host, reset, passkeys, ...step }: SignInProps) => (
  <Step
    {...step}
    title="Sign in"
    action={front ? '/' : `/${step.panel}/login`}
    send="Sign in"
    below={
      <>
        {passkeys ? <PasskeySignIn panel={step.panel} next={step.next} front={front} /> : null}
        {reset ? (
          <p>
            <a href="/forgot-password">{t('Forgot your password?')}</a>
          </p>
        ) : null}
        <p class="also">
          <Command words={['panel', 'login', host]} />
        </p>
      </>
    }
  >
    <Box name="username" label="Username, domain or email address" value={username} max={254} focus={username === ''} />
    <Box name="password" label="Password" secret="current-password" focus={username !== ''} />
  </Step>
)

/** Signs in with a passkey, alone or after the password. */
const PasskeySignIn = ({ panel, next, front = false }: Pick<SignInProps, 'panel' | 'next' | 'front'>) => (
  <form method="post" action={`/${panel}/login/passkey`} data-once="" hidden>
    {next === undefined ? null : <input type="hidden" name="next" value={next} />}
    {front ? <input type="hidden" name="front" value="1" /> : null}
    <p>
      <PasskeyButton label="Use a passkey" field="credential" start={`/${panel}/login/passkey/start`} />
    </p>
  </form>
)

export const SignOut = (step: FormProps) => (
  <Step {...step} title="Sign out" action={`/${step.panel}/logout`} send="Sign out" />
)

/** The second factor, after a correct password. */
export const SecondFactor = ({ passkey = false, ...step }: FormProps & { passkey?: boolean | undefined }) => (
  <Step
    {...step}
    title="Enter your code"
    lead={
      passkey
        ? 'Use your passkey, or type the six digits your authenticator shows or one of your recovery codes.'
        : 'Type the six digits your authenticator shows, or one of your recovery codes.'
    }
    action={`/${step.panel}/login/code`}
    send="Continue"
    below={passkey ? <PasskeySignIn panel={step.panel} next={step.next} /> : null}
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
    action={`/${step.panel}/password`}
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
    action={`/${step.panel}/confirm`}
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
    action={`/${step.panel}/two-factor/key`}
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
    action={`/${step.panel}/two-factor`}
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
