import { z } from 'zod'
import { component } from './common.ts'
import { operation } from './operation.ts'

const Host = component(
  'Host',
  z.strictObject({
    driver: z
      .enum(['directory', 'debian'])
      .describe('`directory`: files below the data directory; `debian`: this machine and its services'),
    agent: z.strictObject({
      status: z
        .enum(['idle', 'running', 'unreachable'])
        .describe('`idle`: not started, because nothing needs it; `unreachable`: jobs wait for it'),
      reason: z.string().optional().describe('Why it cannot be reached'),
    }),
  }),
)

export const getHost = operation({
  id: 'getHost',
  method: 'get',
  path: '/host',
  area: 'host',
  summary: 'Show the state of the host',
  description: 'The host agent is the process that writes the files of accounts on the host.',
  status: 200,
  answer: Host,
  allow: {},
  token: { admin: ['server'], account: 'none' },
  cli: {
    words: ['host', 'status'],
    columns: ['driver', 'agent.status', 'agent.reason'],
    examples: ['panel host status'],
  },
})
