import { Code } from '../../web/kit/components/code.tsx'
import { t } from '../../web/kit/i18n/i18n.ts'
import type { Answered, Looks, Screen } from '../../web/kit/screen.ts'

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
  command: { cell: ({ command }: Answered) => <Code text={command} /> },
}

const page = {
  path: '/security',
  title: 'Weak points',
  columns: ['name', 'check', 'detail', 'severity', 'command'],
  looks,
  empty: 'No weak points were found.',
  find: ['security', 'check', 'hardening'],
} as const

export const screens: readonly Screen[] = [
  { ...page, shows: 'checkSecurityForAccount' },
  {
    path: '/security/ban',
    title: 'Lift a ban',
    lead: 'For an address that cannot reach your account any more after wrong passwords.',
    shows: 'liftBanForAccount',
    acts: { liftBanForAccount: { done: 'Ban lifted.', label: 'Lift the ban', to: '/security' } },
  },
  { ...page, shows: 'checkSecurity' },
]
