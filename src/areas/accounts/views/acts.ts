import type { Acts, Visit } from '../../../web/kit/screen.ts'
import { ending } from './ending.ts'

const isSuspended = ({ data }: Visit): boolean => data.status === 'suspended'

export const suspend = {
  done: 'Suspended.',
  label: 'Suspend',
  ofRoot: ['lock'],
  back: { op: 'unsuspendAccount' },
} as const
export const unsuspend = { done: 'Unsuspended.', label: 'Unsuspend' }
export const changePackage = { done: 'Package changed.', label: 'Change the package' }

/** What can be done with one account. */
export const manage = {
  updateAccount: {
    done: 'Account changed.',
    value: (data) => ({ ...data, domain: data.main_domain }),
  },
  changeAccountPackage: { ...changePackage, title: 'Package' },
  changeAccountPassword: { done: 'Password changed.', label: 'Set the password', only: ['new_password'] },
  createAccountSso: { done: 'One-time sign-in link', label: 'Make a sign-in link' },
  suspendAccount: { ...suspend, when: (visit) => !isSuspended(visit) },
  unsuspendAccount: { ...unsuspend, when: isSuspended },
  terminateAccount: {
    done: 'The account is being terminated.',
    label: 'Terminate the account',
    to: '/jobs',
    confirm: ending,
  },
} satisfies Acts
