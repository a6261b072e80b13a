import { noticeKinds, noticeSeverities } from '../../contract/notices.ts'
import { attentionBelow, attentionLooks } from '../../web/kit/attention.tsx'
import { type Crud, crud } from '../../web/kit/crud.ts'
import type { Suggestions } from '../../web/kit/forms/boxes.ts'
import { optionLabel, worded } from '../../web/kit/i18n/label.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { testResult } from './views/test.tsx'

const acknowledged = { done: 'Acknowledged.', label: 'Acknowledge' }

const list = {
  path: '/alerts',
  title: 'Alerts',
  columns: ['name', 'state', 'since'],
  looks: attentionLooks,
  rowDetails: attentionBelow,
  empty: 'Nothing was reported yet. Add a channel, and what needs attention is sent to it.',
  find: ['notifications'],
} as const

/** What a way to a person needs; both kinds of address until one is chosen. */
function fieldsFor(type: string | null | undefined, shape: string | null | undefined): readonly string[] {
  if (type === 'mail') return ['to']
  if (type !== 'webhook') return ['to', 'shape', 'url']
  if (shape === 'ntfy') return ['shape', 'topic']
  return shape === 'telegram' ? ['shape', 'token', 'chat'] : ['shape', 'url']
}

/** Severities, and each kind. */
const kinds: Suggestions = {
  options: [
    { value: '*', label: 'Everything' },
    ...noticeSeverities.map((value) => ({ value, label: optionLabel(value, 'severity'), group: 'Severity' })),
    ...noticeKinds.map((value) => ({ value, label: worded(value), group: 'Kind' })),
  ],
  others: 'Patterns such as disk-*, one per line',
}

const channels: Crud = {
  path: '/alerts/channels',
  title: 'Alert channels',
  one: 'channel',
  member: 'channel',
  name: 'name',
  columns: ['name', 'type', 'shape', 'to', 'host', 'kinds', 'enabled', 'verified'],
  find: ['slack', 'discord', 'telegram', 'mattermost', 'ntfy', 'notifications'],
  empty: 'A channel is a mail address or a chat that is told what needs attention, and when it is back to normal.',
  primary: (typed) => ['name', 'type', ...fieldsFor(typed?.get('type'), typed?.get('shape'))],
  suggests: { kinds },
  presets: [
    { label: 'Mail', fields: { type: 'mail' } },
    { label: 'Slack', fields: { type: 'webhook', shape: 'slack' } },
    { label: 'Discord', fields: { type: 'webhook', shape: 'discord' } },
    { label: 'Mattermost', fields: { type: 'webhook', shape: 'mattermost' } },
    { label: 'ntfy', fields: { type: 'webhook', shape: 'ntfy' } },
    { label: 'Telegram', fields: { type: 'webhook', shape: 'telegram' } },
    { label: 'Signed JSON', fields: { type: 'webhook', shape: 'json' } },
  ],
}
const tested = { done: 'Test', label: 'Test', result: testResult }

export const screens: readonly Screen[] = [
  { ...list, shows: 'listAlerts', acts: { acknowledgeAlert: { ...acknowledged, subject: 'item' } } },
  {
    ...list,
    shows: 'listAlertsForAccount',
    nav: { group: 'account', order: 45, beside: ['/alerts/channels', '/notification-preferences'] },
    acts: { acknowledgeAlertForAccount: { ...acknowledged, subject: 'item' } },
  },
  ...crud('listAlertChannels', { ...channels, acts: { testAlertChannel: tested } }),
  ...crud('listAlertChannelsForAccount', { ...channels, acts: { testAlertChannelForAccount: tested } }),
]
