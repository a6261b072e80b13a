import type { SentReason } from '../../contract/alerts.ts'
import { minuteText } from '../../shared/time.ts'
import { inert } from '../mailer/inert.ts'
import { commandsOf } from '../notices/commands.ts'
import type { AlertRow } from './tables.ts'

/** A message about one or more alerts, before it takes the shape of its receiver. */
export interface Message {
  readonly id: string
  readonly at: number
  readonly server: string
  readonly title: string
  /** Plain lines; at most 2,000 characters with the title. */
  readonly text: string
  readonly alerts: readonly AlertItem[]
  readonly isError: boolean
}

export interface AlertItem {
  readonly alert: AlertRow
  readonly what: SentReason
}

const MAX_TEXT_LENGTH = 2000
const MAX_DETAIL_LENGTH = 240
/** More causes of one kind than this are one line with the first few. */
export const MANY = 20
const FIRST = 5

const headings: Readonly<Record<SentReason, string>> = {
  opened: 'needs attention',
  reminded: 'needs attention again',
  escalated: 'was not acknowledged',
  ended: 'back to normal',
}

const nameOf = ({ name, username }: AlertRow): string =>
  username === null || username === name ? `“${inert(name)}”` : `“${inert(name)}” of ${username}`

const lineOf = ({ alert, what }: AlertItem): string =>
  what === 'ended' || alert.state === 'ended'
    ? `${alert.kind} ${nameOf(alert)}: back to normal`
    : `${alert.kind} ${nameOf(alert)}: ${inert(alert.detail, MAX_DETAIL_LENGTH)}`

function blockOf({ alert, what }: AlertItem): string {
  if (what === 'ended' || alert.state === 'ended')
    return `${nameOf(alert)} is back to normal (${alert.kind}, since ${minuteText(alert.since)}).`
  const commands = commandsOf(alert)
  const lines = [
    `${alert.severity === 'error' ? 'Error' : 'Warning'}: ${alert.kind} ${nameOf(alert)} ${headings[what]}.`,
    inert(alert.detail, MAX_DETAIL_LENGTH),
    `Since ${minuteText(alert.since)}`,
    `Show: ${commands.command}`,
    ...(commands.mend === undefined ? [] : [`Mend: ${commands.mend}`]),
  ]
  return lines.join('\n')
}

const byKind = (notified: readonly AlertItem[]): AlertItem[][] => {
  const groups = new Map<string, AlertItem[]>()
  for (const one of notified) {
    const key = `${one.alert.kind} ${one.what === 'ended' || one.alert.state === 'ended'}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}

function groupText(group: readonly AlertItem[]): string {
  if (group.length === 1) return blockOf(group[0]!)
  const { kind } = group[0]!.alert
  const first = group.length > MANY ? group.slice(0, FIRST) : group
  const more = group.length - first.length
  return [
    `${group.length} × ${kind}:`,
    ...first.map(lineOf),
    ...(more > 0 ? [`and ${more} more: panel alerts list --kind ${kind}`] : []),
  ].join('\n')
}

function titleOf(notified: readonly AlertItem[]): string {
  const [first] = notified
  if (notified.length === 1) return `${inert(first!.alert.name)}: ${first!.alert.kind}, ${headings[reasonOf(first!)]}`
  const kinds = new Set(notified.map(({ alert }) => alert.kind))
  return kinds.size === 1 ? `${notified.length} × ${first!.alert.kind}` : `${notified.length} alerts`
}

const reasonOf = ({ alert, what }: AlertItem): SentReason => (alert.state === 'ended' ? 'ended' : what)

const cut = (text: string): string => {
  const all = [...text]
  return all.length > MAX_TEXT_LENGTH ? `${all.slice(0, MAX_TEXT_LENGTH - 1).join('')}…` : text
}

export function messageOf(facts: Pick<Message, 'id' | 'at' | 'server'>, notified: readonly AlertItem[]): Message {
  const title = `${facts.server}: ${titleOf(notified)}`
  const isError = notified.some((one) => one.alert.severity === 'error' && reasonOf(one) !== 'ended')
  const text = cut(byKind(notified).map(groupText).join('\n\n'))
  return { ...facts, title, text, alerts: notified, isError }
}

export const testMessage = (facts: Pick<Message, 'id' | 'at' | 'server'>, name: string): Message => ({
  ...facts,
  title: `${facts.server}: test of ${name}`,
  text: `This is a test of the alert channel ${name} of ${facts.server}.`,
  alerts: [],
  isError: false,
})
