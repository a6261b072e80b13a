import { features } from '../../../contract/common.ts'
import { memoize } from '../../../shared/memoize.ts'
import { lookupOwn } from '../lookup.ts'
import names from './names.json' with { type: 'json' }
import { wordOf } from './value-words.ts'

/** How words in names are spelled, and labels for names that do not explain themselves. */
const { spelled, called }: Readonly<Record<'spelled' | 'called', Readonly<Record<string, string>>>> = names

/** Name suffixes that give a number's unit. */
const units: readonly (readonly [RegExp, string])[] = [
  [/_mbps$/, 'MB/s'],
  [/_mb$/, 'MB'],
  [/_bytes$/, 'bytes'],
  [/_pct$/, '%'],
  [/_ms$/, 'ms'],
  [/_s$/, 'seconds'],
  [/_days$/, 'days'],
  [/_hours$/, 'hours'],
]

export const unitOf = (name: string): string | undefined => units.find(([ending]) => ending.test(name))?.[1]

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `over_quota` -> "Over quota". */
export const worded = (name: string): string =>
  sentence(
    name
      .split(/[._-]/)
      .map((word) => lookupOwn(spelled, word) ?? word)
      .join(' '),
  )

/** A feature's name in the contract: `features.pop_accounts`. */
function featureOf(name: string): string | undefined {
  const [object, feature = ''] = name.split('.')
  return object === 'features' ? lookupOwn(features, feature) : undefined
}

const lastOf = (name: string): string => name.split('.').at(-1) ?? name

/** `contact_email` -> "Contact email"; a dotted name's last part. A number's unit is shown beside it. */
export const labelOf = (name: string, isNumber = false): string =>
  calledBy(name) ?? worded(bare(lastOf(name), isNumber).replace(/(?<=.)_id$/, ''))

const heads = new Map<string, string>()
const MAX_CACHED_LABELS = 1_000

/** The heading of a column or fact, including the objects that contain it. */
export const headOf = (name: string): string =>
  memoize(
    heads,
    name,
    () => calledBy(name) ?? worded(bare(name, true).replace(/(?<=.)_(id|at|name)$/, '')),
    MAX_CACHED_LABELS,
  )

/** A label given to exactly this name. */
export const ownLabel = (name: string): string | undefined => lookupOwn(called, name)

const calledBy = (name: string): string | undefined =>
  featureOf(name) ?? ownLabel(name) ?? lookupOwn(called, lastOf(name))

function bare(name: string, isNumber: boolean): string {
  const [unit] = units.find(([ending]) => isNumber && ending.test(name)) ?? []
  return unit ? name.replace(unit, '') : name
}

/** A value of a closed set in words; machine text such as `dns-01` or `/bin/bash` stays as it is. */
export const optionLabel = (value: string, field?: string): string =>
  wordOf(value, field) ?? (/^[a-z]+(_[a-z]+)*$/.test(value) && value.length > 2 ? worded(value) : value)
