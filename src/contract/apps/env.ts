import { z } from 'zod'
import { envName } from '../../shared/env-name.ts'
import { component, Id, listOf, Millis } from '../common.ts'
import { operation } from '../operation.ts'
import { access, area, changing, ended, member } from './apps.ts'

const EnvName = z
  .string()
  .regex(
    envName,
    'must be letters, digits and underscores, not begin with a digit or PANEL_, and not be one that the panel sets or the loader reads, such as PATH or LD_PRELOAD',
  )
  .describe('Name of the variable')

const MAX_VALUE_BYTES = 32 * 1024
const maxNames = 200

const EnvVariable = component(
  'EnvVariable',
  z.strictObject({
    name: z.string(),
    secret: z.boolean(),
    value: z.string().optional().describe('Never of a secret one'),
    updated_at: Millis,
  }),
)

const path = '/accounts/{id}/apps/{aid}/env'
const columns = ['name', 'secret', 'value', 'updated_at'] as const

export const getAppEnv = operation({
  id: 'getAppEnv',
  method: 'get',
  path,
  area,
  summary: 'Show the environment of an app',
  params: member,
  status: 200,
  answer: listOf(EnvVariable),
  ...access,
  cli: { words: ['apps', 'env'], variant: 'account', columns, examples: ['panel apps env shop --account alice'] },
})

export const setAppEnv = operation({
  id: 'setAppEnv',
  method: 'patch',
  path,
  area,
  summary: 'Change the environment of an app',
  description:
    'The app is restarted with it. It belongs to the app and not to a release: a rollback keeps it. 200 variables, 256 KiB in all.',
  params: member,
  body: component(
    'SetAppEnv',
    z.strictObject({
      set: z
        .array(
          z.strictObject({
            name: EnvName,
            value: z
              .string()
              .max(MAX_VALUE_BYTES)
              .regex(/^[^\0]*$/, 'must not contain NUL')
              .describe('Up to 32 KiB'),
            secret: z.boolean().optional().describe('Whether it is never shown again, and masked in logs'),
          }),
        )
        .max(maxNames)
        .optional()
        .describe('Variables to add or change'),
      remove: z.array(z.string().min(1).max(128)).max(maxNames).optional().describe('Names of variables to remove'),
    }),
  ),
  status: 202,
  answer: component(
    'EnvAccepted',
    z.strictObject({ items: z.array(EnvVariable), job_id: Id.describe('The job that restarts the app') }),
  ),
  secret: true,
  ...changing,
  job: 'app.apply',
  emits: ended,
  cli: {
    words: ['apps', 'set-env'],
    variant: 'account',
    columns,
    rows: 'items',
    pairs: 'set',
    examples: [
      'panel apps set-env shop --account alice --set LANG=C.UTF-8 --remove DEBUG',
      'panel apps set-env shop --account alice --data -',
    ],
  },
})
