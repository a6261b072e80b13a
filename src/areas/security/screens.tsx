import { LinkButton } from '../../web/kit/components/button.tsx'
import { Code } from '../../web/kit/components/code.tsx'
import { t } from '../../web/kit/i18n/i18n.ts'
import type { Answered, Looks, Screen, ViewContext } from '../../web/kit/screen.ts'

const checks: Readonly<Record<string, string>> = {
  'second-factor': 'No second factor',
  'token-address': 'Works from anywhere',
  'token-expiry': 'Never ends',
  'php-version': 'Old PHP',
  https: 'No HTTPS',
}

const looks: Looks = {
  name: { cell: ({ name }: Answered) => <Code text={name} /> },
  check: { cell: ({ check }: Answered) => t(checks[check]!) },
  detail: { cell: ({ check, detail }: Answered) => (check === 'php-version' ? <bdi>{detail}</bdi> : t(detail)) },
}

/** Where a weak point is mended, and the button that leads there. */
interface Remedy {
  readonly label: string
  /** Below the account's page, or the server's. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
}

function remedyOf(
  { check, object, object_id, name, operation }: Answered,
  isForServer: boolean,
  { hasAuthority }: ViewContext,
): Remedy {
  if (check === 'second-factor')
    return isForServer
      ? remedy('Require a second factor', '/settings', 'updateSettings', { two_factor_required: 'admins' })
      : { label: 'Set up two-factor sign-in', path: '/me' }
  if (object === 'token') return { label: 'Open the token', path: `/tokens/${object_id}` }
  if (check === 'php-version')
    return { label: 'Change the PHP version', path: isForServer ? `/accounts/${name}/domains` : '/domains' }
  if (isForServer) return { label: 'Open the domain', path: '/domains', query: { q: name } }
  if (operation === 'issueCertificate' && !hasAuthority) return { label: 'Install a certificate', path: '/ssl/new' }
  return operation === 'issueCertificate'
    ? remedy('Issue certificate', '/ssl/issue', operation, { domain_id: object_id })
    : remedy('Redirect to HTTPS', `/domains/${name}`, operation, { https_redirect: 'true' })
}

/** A form, filled in. */
const remedy = (label: string, path: string, op: string, fields: Readonly<Record<string, string>>): Remedy => ({
  ...{ label, path },
  query: { do: op, ...fields },
})

/** Another's second factor is set up by that person alone. */
const remedyButton = (isForServer: boolean) => (item: Answered, view: ViewContext) => {
  const { label, path, query } = remedyOf(item, isForServer, view)
  const isOthers = path === '/me' && view.session.account_id !== item.object_id
  return isOthers ? null : <LinkButton href={view.href(path, {}, query)} label={label} />
}

const page = {
  path: '/security',
  title: 'Weak points',
  columns: ['name', 'check', 'detail', 'severity'],
  looks,
  empty: 'No weak points were found.',
  find: ['security', 'check', 'hardening'],
} as const

export const screens: readonly Screen[] = [
  { ...page, shows: 'checkSecurityForAccount', rowEnd: remedyButton(false) },
  {
    path: '/security/ban',
    title: 'Lift a ban',
    lead: 'For an address that cannot reach your account any more after wrong passwords.',
    shows: 'liftBanForAccount',
    acts: { liftBanForAccount: { done: 'Ban lifted.', label: 'Lift the ban', to: '/security' } },
  },
  { ...page, shows: 'checkSecurity', rowEnd: remedyButton(true) },
]
