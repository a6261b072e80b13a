import type { Command, OwnOption } from '../../table.ts'

const account: OwnOption = {
  flags: '-a, --account <name>',
  description: 'The feed of this account',
  offers: '/accounts',
}
const after: OwnOption = {
  flags: '--after <number>',
  description: 'Start after the event with this number; 0 is the oldest kept, `now` the newest (default: now)',
}
const since: OwnOption = {
  flags: '--since <time>',
  description: 'Start with events from this time, or from this long ago, such as 2031-12-31 or 1h',
}
const types = { repeat: true, offers: 'events' } as const
const limit: OwnOption = { flags: '--limit <number>', description: 'Stop after this many events' }

export const feedCommands: readonly Command[] = [
  {
    words: ['events', 'tail'],
    own: 'events-tail',
    summary: 'Print events as they happen',
    description:
      'Runs until Ctrl-C, which prints the command to resume. If the server goes away, the command waits for it; no event is missed or printed twice. With json and jsonl each event is one line.',
    args: [],
    ownOptions: [
      account,
      { flags: '--type <list>', description: 'Only these types and groups, such as account.*', ...types },
      after,
      since,
      limit,
      { flags: '--columns <fields>', description: 'Columns of the table, separated by commas' },
      { flags: '--no-headers', description: 'Leave out the column headings' },
      { flags: '--select <expression>', description: 'Part of each event, as a JMESPath expression' },
    ],
    examples: ['panel events tail', 'panel events tail --account alice --type account.*,job.* --output jsonl'],
  },
  {
    words: ['webhooks', 'listen'],
    own: 'webhooks-listen',
    summary: 'Forward events to a receiver on this machine',
    description:
      'Posts each event as a webhook would, with the same headers, body and signature, to a receiver that the server itself could not reach. Nothing is sent twice: a failure is printed, and the next event follows. Without a secret, one is generated and shown.',
    args: [],
    ownOptions: [
      { flags: '--forward-to <url>', description: 'The receiver: on this machine, or https' },
      { flags: '--events <list>', description: 'Only these types and groups, such as account.*', ...types },
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
