import type { ChannelShape } from '../../../contract/alerts.ts'
import { invalid, refuseInvalid } from '../../../contract/problem.ts'
import type { Reach } from '../../../outgoing/address.ts'
import { type OwnAddresses, urlProblem } from '../../webhooks/url.ts'

/** Where a channel sends to; encrypted in the store. */
export interface Address {
  readonly url: string
  readonly topic?: string
  readonly token?: string
  readonly chat?: string
}

export interface AddressInput {
  readonly to?: string
  readonly url?: string
  readonly topic?: string
  readonly token?: string
  readonly chat?: string
}

type Field = keyof AddressInput

/** What each shape needs, and may have. */
const fieldsOf: Readonly<Record<ChannelShape | 'mail', { needs: readonly Field[]; may?: readonly Field[] }>> = {
  mail: { needs: ['to'] },
  slack: { needs: ['url'] },
  discord: { needs: ['url'] },
  mattermost: { needs: ['url'] },
  json: { needs: ['url'] },
  ntfy: { needs: ['topic'], may: ['url'] },
  telegram: { needs: ['token', 'chat'], may: ['url'] },
}

const defaultUrls: Partial<Record<ChannelShape, string>> = {
  ntfy: 'https://ntfy.sh/',
  telegram: 'https://api.telegram.org/',
}

const all: readonly Field[] = ['to', 'url', 'topic', 'token', 'chat']

/** 400 for fields that the channel lacks, or cannot have. */
export function refuseWrongFields(shape: ChannelShape | 'mail', input: AddressInput, isNew: boolean): void {
  const { needs, may = [] } = fieldsOf[shape]
  const problemOf = (field: Field): string | undefined => {
    if (input[field] !== undefined)
      return needs.includes(field) || may.includes(field) ? undefined : `is not for ${shape}`
    return isNew && needs.includes(field) ? `is needed for ${shape}` : undefined
  }
  refuseInvalid(Object.fromEntries(all.map((field) => [field, problemOf(field)])))
}

/** The address of a webhook, with what stays of the former one; 400 if it must not be sent to. */
export function addressOf(
  shape: ChannelShape,
  { to: _, ...input }: AddressInput,
  reach: Reach,
  own: OwnAddresses,
  former?: Address,
): Address {
  const url = input.url ?? former?.url ?? defaultUrls[shape]!
  const problem = urlProblem(url, reach, own) ?? (defaultUrls[shape] === undefined ? undefined : baseProblem(url))
  if (problem) throw invalid('url', problem)
  return { ...former, ...input, url }
}

/** Paths below these are the panel's to choose. */
const baseProblem = (url: string): string | undefined => (/[?]/.test(url) ? 'must not contain a query (?)' : undefined)

export const hostIn = ({ url }: Address): string => new URL(url).host
