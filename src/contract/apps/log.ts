import { z } from 'zod'
import { LogTail, tailQuery } from '../logs.ts'
import { operation } from '../operation.ts'
import { access, area, member } from './apps.ts'

export const getAppLog = operation({
  id: 'getAppLog',
  method: 'get',
  path: '/accounts/{id}/apps/{aid}/log',
  area,
  host: true,
  summary: 'Show the end of the log of an app',
  description:
    'What it wrote to standard output and standard error; with `next` of an answer, only what it wrote since.',
  params: member,
  query: z.strictObject(tailQuery),
  status: 200,
  answer: LogTail,
  ...access,
  cli: {
    words: ['apps', 'logs'],
    variant: 'account',
    follow: true,
    examples: ['panel apps logs shop --account alice', 'panel apps logs shop --account alice --follow'],
  },
})
