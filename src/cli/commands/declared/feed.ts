import type { Command, OwnOption } from '../../table.ts'

const account: OwnOption = {
  flags: '-a, --account <name>',
  description: 'The feed of this account',
  offers: '/accounts',
}
const after: OwnOption = {
  flags: '--after <number>',
  description: 'Begin after the event with this number; 0 is the oldest that is kept, `now` the newest (default: now)',
}
const since: OwnOption = {
  flags: '--since <time>',
  description: 'Begin with the events from this time on, or from this long ago, as 2031-12-31 or 1h',
}
const types = { repeat: true, offers: 'events' } as const
const limit: OwnOption = { flags: '--limit <number>', description: 'End after so many events' }

/** Commands that follow the event feed. */
export const feedCommands: readonly Command[] = [
  {
    words: ['events', 'tail'],
    own: 'events-tail',
    summary: 'Print events as they happen',
    description:
      'Goes on until Ctrl-C, which says how to go on later. A server that goes away is waited for, and no event is missed or printed twice. With json and jsonl each event is a line.',
    args: [],
    ownOptions: [
      account,
      { flags: '--type <list>', description: 'Only these types and groups, as account.*', ...types },
      after,
      since,
      limit,
      { flags: '--columns <fields>', description: 'Columns of the table, with commas between' },
      { flags: '--no-headers', description: 'No line of column names' },
      { flags: '--select <expression>', description: 'Part of each event, as a JMESPath expression' },
    ],
    examples: ['panel events tail', 'panel events tail --account alice --type account.*,job.* --output jsonl'],
  },
  {
    words: ['webhooks', 'listen'],
    own: 'webhooks-listen',
    summary: 'Forward events to a receiver on this machine',
    description:
      'Posts each event as a webhook would, with the same headers, body and signature, to a receiver that the server itself could not reach. Nothing is sent twice: a receiver that fails is told so, and the next event follows. Without a secret one is made and shown.',
    args: [],
    ownOptions: [
      { flags: '--forward-to <url>', description: 'The receiver: on this machine, or https' },
      { flags: '--events <list>', description: 'Only these types and groups, as account.*', ...types },
      account,
      after,
      since,
      limit,
      { flags: '--secret-file <file>', description: 'Sign with the secret in this file, whsec_…' },
      { flags: '--secret-stdin', description: 'Sign with the secret from standard input' },
    ],
    examples: [
      'panel webhooks listen --forward-to http://localhost:3000/hooks',
      'panel webhooks listen --forward-to http://localhost:3000/hooks --events account.* --secret-file secret.txt',
    ],
  },
]
