import { z } from 'zod'
import { localParts } from '../../shared/patterns.ts'
import { Id, paging, search } from '../common.ts'

export const emailStatuses = ['creating', 'active', 'deleting'] as const

export const area = 'email'
export const ended = ['job.completed', 'job.failed'] as const
export const access = {
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'email' },
} as const

export const account = { id: Id.describe('The account') }
export const jobId = Id.describe('The job that applies the change')

/** The query of lists of addresses. */
export const ofAddresses = z.strictObject({
  ...paging,
  q: search('address'),
  domain: z.string().min(1).max(253).optional().describe('Only addresses of this domain'),
})

export const MAX_ADDRESS_LENGTH = 254

/** A mailbox's or forwarder's address without `+…`, which is up to the recipient. */
export const Address = z
  .string()
  .max(2 * MAX_ADDRESS_LENGTH)
  .regex(
    new RegExp(`^${localParts.hosted}@[^@\\s\\p{Cc}]+$`, 'u'),
    "must be an address such as info@shop.example; before the @: at most 64 letters, digits and _ ' & = ~ - (not first), with single dots between them",
  )
